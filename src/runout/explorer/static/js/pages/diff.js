// Two solutions as a difference, the same line in both.
import { diverging } from "../colours.js";
import { commonActions, differenceGrid, moved } from "../difference.js";
import { RANKS, nameOfCell } from "../hands.js";
import { html } from "../html.js";
import { amount, isKnown, percent, signedPercent, worth } from "../format.js";
import { Ribbon } from "../parts/ribbon.js";
import { describeQuality } from "../parts/header.js";
import { TEXT } from "../strings.js";
import { change, state, themeOf } from "../store.js";

export function DiffPage() {
  const { node, other, facts, otherFacts } = state;
  if (!node || !other) return html`<main><p class="muted">${TEXT.loading}</p></main>`;
  const { params } = state.address;
  const actions = commonActions(node, other);
  // Where actions are worth the same, strategies differ without meaning: EV comes first.
  const what = actions.some((action) => action.code === params.m) ? params.m : "ev";
  const player = params.p === "" ? (node.actor ?? 0) : Number(params.p);
  const grid = differenceGrid(node, other, player, what);
  const range = moved(node, other);
  return html`<main class="explorer diff">
    <${Ribbon} />
    <h1>${facts.name} ${TEXT.diff.minus} ${otherFacts?.name}</h1>
    <p class="muted">${TEXT.diff.note}</p>
    <div class="matrix-bar">
      <div class="segments" role="group" aria-label="player">
        ${node.players.map((name, number) => html`<button aria-pressed=${number === player} onClick=${() => change({ p: String(number) }, true)}>${name}</button>`)}
      </div>
      <div class="segments" role="group" aria-label=${TEXT.diff.frequency}>
        ${actions.map((action) => html`<button aria-pressed=${what === action.code} onClick=${() => change({ m: action.code }, true)}>${action.label}</button>`)}
        <button aria-pressed=${what === "ev"} onClick=${() => change({ m: "ev" }, true)}>
          ${TEXT.diff.ev}
        </button>
      </div>
      ${range !== null && html`<span title=${TEXT.diff.movedHelp}>${TEXT.diff.moved} ${percent(range)}</span>`}
    </div>
    <div class="two-columns">
      <${DiffMatrix} grid=${grid} what=${what} node=${node} />
      <section class="panel">
        <table>
          <thead>
            <tr>
              <th scope="col"><span class="visually-hidden">value</span></th>
              <th scope="col" class="number">${facts.name}</th>
              <th scope="col" class="number">${otherFacts?.name}</th>
              <th scope="col" class="number">${TEXT.diff.title}</th>
            </tr>
          </thead>
          <tbody>
            ${actions.map((action) => {
              const twin = other.actions.find((b) => b.code === action.code);
              return html`<tr>
                <th scope="row">${action.label}</th>
                <td class="number">${percent(action.frequency)}</td>
                <td class="number">${percent(twin.frequency)}</td>
                <td class="number">${signedPercent(action.frequency - twin.frequency)}</td>
              </tr>`;
            })}
            ${node.players.map(
              (name, i) =>
                html`<tr>
                  <th scope="row">${name} ${TEXT.ev}</th>
                  <td class="number">${worth(node.range_ev[i], node, "")}</td>
                  <td class="number">${worth(other.range_ev[i], other, "")}</td>
                  <td class="number">
                    ${isKnown(node.range_ev[i]) && isKnown(other.range_ev[i]) ? amount(node.range_ev[i] - other.range_ev[i], node.unit) : "\u2013"}
                  </td>
                </tr>`,
            )}
            <tr>
              <th scope="row">${TEXT.trust.exploitability}</th>
              <td class="number">${describeQuality(facts.quality)?.text}</td>
              <td class="number">${describeQuality(otherFacts?.quality)?.text}</td>
              <td></td>
            </tr>
          </tbody>
        </table>
      </section>
    </div>
  </main>`;
}

function DiffMatrix({ grid, what, node }) {
  const theme = themeOf(state.settings);
  const largest = Math.max(1e-9, ...grid.filter(isKnown).map(Math.abs));
  const scale = what === "ev" ? largest : Math.max(0.25, largest);
  const text = (value) => (what === "ev" ? amount(value, node.unit) : whole(100 * value));
  return html`<div class="matrix" role="grid" aria-label=${TEXT.diff.title}>
    ${[...RANKS].map(
      (rank, row) =>
        html`<div role="row">
          <span role="rowheader">${rank}</span> ${[...RANKS].map((_, column) => {
            const value = grid[13 * row + column];
            const name = nameOfCell(13 * row + column);
            return html`<span
              role="gridcell"
              class=${`cell ${isKnown(value) ? "" : "absent"}`}
              aria-label=${`${name}: ${isKnown(value) ? text(value) : TEXT.notHeld}`}
              style=${isKnown(value) ? { background: diverging(value / scale, theme) } : {}}
              ><span class="name">${name}</span
              ><span class="value">${isKnown(value) ? text(value) : ""}</span></span
            >`;
          })}
        </div>`,
    )}
  </div>`;
}

// Without the sign of what rounds to nothing.
const whole = (value) => String(Math.round(value) + 0);
