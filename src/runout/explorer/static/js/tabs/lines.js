// Before the flop: all lines with how often they are played and what they are worth; and flops.
import { html } from "../html.js";
import { amount, percent } from "../format.js";
import { TEXT } from "../strings.js";
import { goToNode, state } from "../store.js";

export function LinesTab({ shown }) {
  return html`<div class="lines-tab">
    <${LineMap} here=${shown.node.path} />
  </div>`;
}

function LineMap({ here }) {
  const { lines } = state;
  if (!lines) return html`<p class="muted">${TEXT.loading}</p>`;
  const [first, second] = lines.players;
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label=${TEXT.lines.title}>
    <table class="lines">
      <caption>
        ${TEXT.lines.title}
      </caption>
      <thead>
        <tr>
          <th scope="col">${TEXT.lines.line}</th>
          <th scope="col" class="number">${TEXT.frequency}</th>
          <th scope="col" class="number">${TEXT.reached}</th>
          <th scope="col" class="number">${TEXT.pot}</th>
          <th scope="col" class="number">${first} ${TEXT.ev}</th>
          <th scope="col" class="number">${second} ${TEXT.ev}</th>
          <th scope="col"><span class="visually-hidden">end</span></th>
        </tr>
      </thead>
      <tbody>
        ${lines.rows.map(
          (row) =>
            html`<tr key=${row.path} class=${row.path === here ? "chosen" : ""}>
              <th scope="row" style=${{ paddingLeft: `${0.4 + 1.1 * row.depth}rem` }}>
                <button class="link" onClick=${() => goToNode(row.path)}>${row.label}</button>
              </th>
              <td class="number">${percent(row.frequency)}</td>
              <td class="number">
                <span
                  class="meter"
                  style=${{ "--share": `${100 * (row.reach || 0)}%`, "--action": "var(--accent)" }}
                  >${percent(row.reach)}</span
                >
              </td>
              <td class="number">${amount(row.pot, lines.unit)}</td>
              <td class="number">${amount(row.ev[0], lines.unit)}</td>
              <td class="number">${amount(row.ev[1], lines.unit)}</td>
              <td class="muted">${TEXT.lines.ends[row.kind] ?? row.kind}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
