// The range by hand classes, draws and equity: what each part does; a click looks only at it.
import { StackedBar } from "../charts.js";
import { bandRows, drawRows, madeRows } from "../breakdown.js";
import { hatchOf } from "../colours.js";
import { html } from "../html.js";
import { combos, percent, worth } from "../format.js";
import { className } from "../parts/filter_bar.js";
import { TEXT } from "../strings.js";
import { change, state } from "../store.js";
import { splitList, toggled } from "../url_state.js";

export function BreakdownTab({ shown }) {
  const { part: node, player, classes, factors } = shown;
  const { params } = state.address;
  const chosen = [...splitList(params.f), params.q];
  const byClass = (row) => change({ f: toggled(params.f, row.name) }, true);
  const byBand = (row) => change({ q: params.q === row.name ? "" : row.name }, true);
  return html`<div class="breakdown-tab">
    ${
      classes &&
      html`<${Rows}
          title=${TEXT.classes}
          shown=${shown}
          rows=${madeRows(node, player, classes, factors)}
          open=${byClass}
          chosen=${chosen}
        />
        ${node.street !== "river" && html`<${Rows} title=${TEXT.draws} help=${TEXT.drawsHelp} shown=${shown} rows=${drawRows(node, player, classes, factors)} open=${byClass} chosen=${chosen} />`}`
    }
    <${Rows}
      title=${TEXT.bands}
      shown=${shown}
      rows=${bandRows(node, player, factors)}
      open=${byBand}
      chosen=${chosen}
      isBand
    />
  </div>`;
}

function Rows({ title, help = "", shown, rows, open, chosen, isBand = false }) {
  const { node, player, colours } = shown;
  const { u } = state.address.params;
  const isActor = player === node.actor;
  return html`<table class="breakdown">
    <caption>
      ${title}${help && html` <small class="muted">${help}</small>`}
    </caption>
    <thead>
      <tr>
        <th scope="col"><span class="visually-hidden">${title}</span></th>
        <th scope="col" class="number">${TEXT.combos}</th>
        <th scope="col" class="number">share</th>
        <th scope="col" class="number">${TEXT.eq}</th>
        <th scope="col" class="number">${TEXT.ev}</th>
        ${isActor && node.actions.map((action) => html`<th scope="col" class="number">${action.label}</th>`)}
        ${isActor && html`<th scope="col" class="bar-column"><span class="visually-hidden">bar</span></th>`}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr key=${row.name} class=${chosen.includes(row.name) ? "chosen" : ""}>
            <th scope="row">
              <button class="link" aria-pressed=${chosen.includes(row.name)} onClick=${() => open(row)}>
                ${isBand ? `${row.name.replace("-", "\u2013")} %` : className(row.name)}
              </button>
            </th>
            <td class="number">${combos(row.combos)}</td>
            <td class="number">${percent(row.share)}</td>
            <td class="number">${percent(row.equity)}</td>
            <td class="number">${worth(row.ev, node, u)}</td>
            ${isActor && row.frequencies.map((share) => html`<td class="number">${percent(share)}</td>`)}
            ${
              isActor &&
              html`<td class="bar-column">
                <${StackedBar}
                  shares=${row.frequencies}
                  colours=${colours}
                  hatches=${node.actions.map(hatchOf)}
                  label=${node.actions.map((action, i) => `${action.label} ${percent(row.frequencies[i])}`).join(", ")}
                />
              </td>`
            }
          </tr>`,
      )}
    </tbody>
  </table>`;
}
