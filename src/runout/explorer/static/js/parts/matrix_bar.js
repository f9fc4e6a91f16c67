// What the matrix shows: mode, whose hands, the lens, the comparison of two actions.
import { html } from "../html.js";
import { unitOf, unitsOf, worth } from "../format.js";
import { isFilled, sortedEvs } from "../node_math.js";
import { TEXT } from "../strings.js";
import { change, state } from "../store.js";
import { modeOf } from "./matrix.js";
import { diverging, hatchOf, sequential } from "../colours.js";

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
      ${unitOf(node, params.u) === "pct" ? TEXT.unitPot : unitOf(node, params.u)}
    </button>
    <button
      class="unit"
      title=${TEXT.fillHelp}
      aria-pressed=${isFilled(shown.grid, params.v)}
      onClick=${() => change({ v: isFilled(shown.grid, params.v) ? "reach" : "fill" }, true)}
    >
      ${TEXT.fill}
    </button>
  </div>`;
}

/** The next unit: big blinds where they are known, that of the node, percent of the pot. */
export function switchUnit() {
  const units = unitsOf(state.node);
  change({ u: units[(units.indexOf(state.address.params.u) + 1) % units.length] }, true);
}

/** Below the matrix: colours in words, the lens, the comparison. */
export function Legend({ shown }) {
  const { params } = state.address;
  const { node, player, colours, theme } = shown;
  const scale = html`<${Scale} shown=${shown} />`;
  if (player !== node.actor) return html`<div class="legend">${scale}</div>`;
  return html`<div class="legend">
    ${scale} ${node.actions.map((action, i) => html`<span class="key"><span class=${`swatch ${hatchOf(action)}`} style=${{ background: colours[i] }}></span>${action.label}</span>`)}
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

/** What the colours of a heat map stand for. */
function Scale({ shown }) {
  const mode = modeOf(state.address.params, shown);
  if (state.address.params.c || !(mode in SCALES)) return null;
  const [low, middle, high] = SCALES[mode](shown);
  const at = (share) => (mode === "eqr" ? diverging(2 * share - 1, shown.theme) : sequential(share, shown.theme));
  const stops = [0, 0.25, 0.5, 0.75, 1].map(at).join(", ");
  return html`<span class="scale" style=${{ "--stops": stops }}><span>${low}</span><span>${middle}</span><span>${high}</span></span>`;
}

const SCALES = {
  ev: ({ grid, node }) => {
    const evs = sortedEvs(grid);
    const at = (share) => worth(evs[Math.round(share * (evs.length - 1))], node, state.address.params.u, share === 1);
    return [0, 0.5, 1].map(at);
  },
  eq: () => ["0 %", "50 %", "100 %"],
  eqr: () => ["0.4", "1", "1.6"],
};

const pairsOf = (node) =>
  node.actions.flatMap((a, i) => node.actions.slice(0, i).map((b) => `${a.code}~${b.code}`));

function labelsOf(node, pair) {
  const [a, b] = pair
    .split("~")
    .map((code) => node.actions.find((action) => action.code === code)?.label || code);
  return `${a} ${TEXT.minus} ${b}`;
}
