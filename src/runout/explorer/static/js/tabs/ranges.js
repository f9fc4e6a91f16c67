// Both players' ranges side by side, with curves of equity and EV over them.
import { CurveChart } from "../charts.js";
import { distribution } from "../curves.js";
import { GRID } from "../hands.js";
import { html } from "../html.js";
import { combos, percent, shortPercent, worth } from "../format.js";
import { gridOf, remember } from "../node_math.js";
import { toGtoPlusText, toPioText, weightsOf } from "../range_text.js";
import { reachColour } from "../colours.js";
import { copy } from "../clipboard.js";
import { TEXT } from "../strings.js";
import { change, state } from "../store.js";

const grids = remember((node) => node.players.map((_, player) => gridOf(node, player)));
const equityCurves = remember((node) => curvesOf(node, node.equity));
const evCurves = remember((node) => curvesOf(node, node.ev));

const curvesOf = (node, table) =>
  node.players.map((name, player) => ({
    name,
    className: `player-${player}`,
    points: distribution(node, player, table[player]),
  }));

export function RangesTab({ shown }) {
  const { node, theme } = shown;
  const { u, w } = state.address.params;
  return html`<div class="ranges-tab">
    <div class="two-ranges">
      ${node.players.map(
        (name, player) =>
          html`<section aria-label=${name}>
            <h2>${name} <small>${combos(node.combos[player])} ${TEXT.combos}</small></h2>
            <${SmallMatrix} grid=${grids(node)[player]} theme=${theme} name=${name} />
            <p class="buttons">
              <button onClick=${() => copy(toPioText(weightsOf(node, player), node.board))}>
                ${TEXT.copyPio}
              </button>
              <button onClick=${() => copy(toGtoPlusText(weightsOf(node, player), node.board))}>
                ${TEXT.copyGto}
              </button>
            </p>
          </section>`,
      )}
    </div>
    <p class="buttons">
      <button aria-pressed=${Boolean(w)} onClick=${() => change({ w: w ? "" : "1" }, true)}>
        ${w ? TEXT.chart : TEXT.table}
      </button>
    </p>
    ${
      w
        ? html`<${CurveTable} node=${node} unit=${u} />`
        : html`<div class="charts">
            <${CurveChart}
              title=${TEXT.equityCurve}
              curves=${equityCurves(node)}
              range=${[0, 1]}
              format=${(value) => percent(value, 0)}
              formatX=${(at) => percent(at, 0)}
              xLabel=${TEXT.shareOfRange}
            />
            <${CurveChart}
              title=${TEXT.evCurve}
              curves=${evCurves(node)}
              format=${(value) => worth(value, node, u)}
              formatX=${(at) => percent(at, 0)}
              xLabel=${TEXT.shareOfRange}
            />
          </div>`
    }
  </div>`;
}

function SmallMatrix({ grid, theme, name }) {
  return html`<div class="small-matrix" role="img" aria-label=${`range of ${name}`}>
    ${grid.map(
      (cell, i) =>
        html`<span title=${cell ? `${cell.name} ${percent(cell.reach)}` : GRID.flat()[i]}>
          ${cell && cell.reach > 0 && html`<span class="fill" style=${{ height: `${Math.max(4, 100 * Math.min(1, cell.reach))}%`, background: reachColour(theme) }}></span>`}
          <span class="name">${GRID.flat()[i]}</span></span
        >`,
    )}
  </div>`;
}

const SHARES = [0.1, 0.25, 0.5, 0.75, 0.9];

function CurveTable({ node, unit }) {
  const at = (points, share) => (points.find(([x]) => x >= share) || points.at(-1) || [0, null])[1];
  return html`<table>
    <caption class="visually-hidden">
      ${TEXT.equityCurve}
    </caption>
    <thead>
      <tr>
        <th scope="col">${TEXT.shareOfRange}</th>
        ${node.players.flatMap((name) => [html`<th scope="col" class="number">${name} ${TEXT.eq}</th>`, html`<th scope="col" class="number">${name} ${TEXT.ev}</th>`])}
      </tr>
    </thead>
    <tbody>
      ${SHARES.map(
        (share) =>
          html`<tr>
            <th scope="row">${shortPercent(share)} %</th>
            ${node.players.flatMap((_, player) => [
              html`<td class="number">${percent(at(equityCurves(node)[player].points, share))}</td>`,
              html`<td class="number">${worth(at(evCurves(node)[player].points, share), node, unit)}</td>`,
            ])}
          </tr>`,
      )}
    </tbody>
  </table>`;
}
