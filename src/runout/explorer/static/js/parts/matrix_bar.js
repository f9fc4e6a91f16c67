// What the matrix shows: mode, whose hands, the lens, the comparison of two actions.
import { html } from "../html.js";
import { TEXT } from "../strings.js";
import { change, state } from "../store.js";
import { modeOf } from "./matrix.js";
import { diverging, hatchOf } from "../colours.js";

const LENSES = ["0.1", "0.5", "1", "2"];

export function MatrixBar({ shown }) {
  const { params } = state.address;
  const { node, player } = shown;
  const mode = modeOf(params, shown);
  const isActor = player === node.actor;
  return html`<div class="matrix-bar">
    <div class="segments" role="group" aria-label="player">
      ${node.players.map(
        (name, number) =>
          html`<button
            aria-pressed=${number === player}
            onClick=${() => change({ p: number === node.actor ? "" : String(number) }, true)}
          >
            ${name}${number === node.actor ? " \u25c2" : ""}
          </button>`,
      )}
    </div>
    <div class="segments" role="group" aria-label="mode">
      ${Object.entries(TEXT.modes).map(
        ([name, label]) =>
          html`<button
            aria-pressed=${mode === name}
            title=${TEXT.modeHelp[name]}
            disabled=${name.startsWith("strategy") && !isActor}
            onClick=${() => change({ m: name, c: "" }, true)}
          >
            ${label}
          </button>`,
      )}
    </div>
    <button class="unit" onClick=${switchUnit} title="Space">
      ${params.u === "pct" ? TEXT.unitPot : node.unit}
    </button>
  </div>`;
}

/** Between the unit of the node and percent of the pot. */
export function switchUnit() {
  change({ u: state.address.params.u === "pct" ? "" : "pct" }, true);
}

/** Below the matrix: colours in words, the lens, the comparison. */
export function Legend({ shown }) {
  const { params } = state.address;
  const { node, player, colours, theme } = shown;
  if (player !== node.actor) return null;
  return html`<div class="legend">
    ${node.actions.map((action, i) => html`<span class="key"><span class=${`swatch ${hatchOf(action)}`} style=${{ background: colours[i] }}></span>${action.label}</span>`)}
    ${params.c && html`<span class="key"><span class="swatch" style=${{ background: diverging(1, theme) }}></span>${labelsOf(node, params.c)}</span>`}
    <label class="lens" title=${TEXT.lensHelp}
      >${TEXT.lens}
      <select value=${params.e} onChange=${(event) => change({ e: event.target.value }, true)}>
        <option value="" selected=${!params.e}>off</option>
        ${LENSES.map((size) => html`<option value=${size} selected=${params.e === size}>${"\u2264"} ${size} % of the pot</option>`)}
      </select>
    </label>
    ${
      node.actions.length > 1 &&
      html`<label class="lens"
        >${TEXT.compareEv}
        <select value=${params.c} onChange=${(event) => change({ c: event.target.value }, true)}>
          <option value="" selected=${!params.c}>${TEXT.compareNone}</option>
          ${pairsOf(node).map((pair) => html`<option value=${pair} selected=${params.c === pair}>${labelsOf(node, pair)}</option>`)}
        </select>
      </label>`
    }
  </div>`;
}

const pairsOf = (node) =>
  node.actions.flatMap((a, i) => node.actions.slice(0, i).map((b) => `${a.code}~${b.code}`));

function labelsOf(node, pair) {
  const [a, b] = pair
    .split("~")
    .map((code) => node.actions.find((action) => action.code === code)?.label || code);
  return `${a} ${TEXT.minus} ${b}`;
}
