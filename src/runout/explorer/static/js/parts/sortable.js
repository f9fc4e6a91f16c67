// A table whose columns sort it; the choice is in the address.
import { html } from "../html.js";
import { isKnown } from "../format.js";
import { change, state } from "../store.js";

/** Rows in the order of an address: a column's name, with a minus for falling. */
export function sorted(rows, columns, order) {
  const name = order.replace(/^-/, "");
  const column = columns.find((other) => other.name === name);
  if (!column) return rows;
  const sign = order.startsWith("-") ? -1 : 1;
  const compare = (a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    if (!isKnown(x) || !isKnown(y)) return isKnown(x) ? -1 : isKnown(y) ? 1 : 0;
    return typeof x === "string" ? sign * x.localeCompare(y) : sign * (x - y);
  };
  return [...rows].sort(compare);
}

/**
 * @param columns {name, label, value, show, isNumber, help} each
 * @param rows of the table
 * @param open what a click on a row does, if anything
 */
export function SortableTable({ columns, rows, caption, open, rowKey, rowClass, usual = "" }) {
  const order = orderOf(state.address.params.sort, columns, usual);
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label=${caption}>
    <table class="sortable">
      <caption class="visually-hidden">
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(
            (column) =>
              html`<th
                scope="col"
                class=${column.isNumber ? "number" : ""}
                aria-sort=${ariaSort(order, column.name)}
                title=${column.help || ""}
              >
                <button onClick=${() => change({ sort: nextOrder(order, column) }, true)}>
                  ${column.label}${arrow(order, column.name)}
                </button>
              </th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${sorted(rows, columns, order).map(
          (row) =>
            html`<tr key=${rowKey(row)} class=${rowClass ? rowClass(row) : ""}>
              ${columns.map(
                (column, i) =>
                  html`<td class=${column.isNumber ? "number" : ""}>
                    ${
                      i === 0 && open
                        ? html`<button class="link" onClick=${() => open(row)}>${column.show(row)}</button>`
                        : column.show(row)
                    }
                  </td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

// The address may still have a column of another table.
const orderOf = (order, columns, usual) =>
  columns.some((column) => column.name === order.replace(/^-/, "")) ? order : usual;

const ariaSort = (order, name) =>
  order === name ? "ascending" : order === `-${name}` ? "descending" : "none";

const arrow = (order, name) => (order === name ? " \u25b4" : order === `-${name}` ? " \u25be" : "");

// Numbers are first sorted from the highest down, texts from A to Z.
function nextOrder(order, { name, isNumber }) {
  const [first, second] = isNumber ? [`-${name}`, name] : [name, `-${name}`];
  return order === first ? second : first;
}
