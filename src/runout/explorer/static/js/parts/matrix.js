// The 13x13 grid of hands: bars as wide as an action is frequent, as high as the hand gets here.
import { compareActions, indifference, isFilled, remember, sortedEvs } from "../node_math.js";
import { diverging, hatchOf, reachColour, sequential } from "../colours.js";
import { RANKS, handOf, nameOfCell } from "../hands.js";
import { html } from "../html.js";
import { isKnown, percent, shortPercent, worth } from "../format.js";
import { TEXT } from "../strings.js";
import { change, set, state } from "../store.js";

const lensFor = remember(indifference);
const compareFor = remember(compareActions);

/** The mode of the matrix: strategies only exist for who acts. */
export function modeOf(params, shown) {
  const isActor = shown.player === shown.node.actor;
  return isActor || !params.m.startsWith("strategy") ? params.m : "reach";
}

export function Matrix({ shown }) {
  const { params } = state.address;
  const mode = modeOf(params, shown);
  const pinned = params.h ? handOf(params.h) : "";
  const focus = state.focus ?? (pinned ? shown.grid.findIndex((cell) => cell?.name === pinned) : 0);
  const view = viewOf(shown, params, mode);
  return html`<div
    class=${`matrix mode-${mode.replace("+", "-")}`}
    role="grid"
    aria-label="hands"
    aria-rowcount="14"
    aria-colcount="14"
    onKeyDown=${move}
    onMouseLeave=${() => set({ hover: null })}
  >
    <div role="row" class="ranks">
      <span role="columnheader" class="corner"><span class="visually-hidden">rank</span></span>
      ${[...RANKS].map((rank) => html`<span role="columnheader">${rank}</span>`)}
    </div>
    ${[...RANKS].map(
      (rank, row) =>
        html`<div role="row">
          <span role="rowheader">${rank}</span>
          ${[...RANKS].map((_, column) => {
            const number = 13 * row + column;
            return html`<${Cell}
              key=${number}
              number=${number}
              shown=${shown}
              view=${view}
              mode=${mode}
              isPinned=${pinned === nameOfCell(number)}
              isFocus=${number === focus}
            />`;
          })}
        </div>`,
    )}
  </div>`;
}

/** What depends on the whole grid: scales, the lens, the comparison of two actions. */
function viewOf({ node, player, grid, colours, theme }, params, mode) {
  const isActor = player === node.actor;
  const epsilon = params.e ? (Number(params.e) / 100) * node.pot : null;
  const [first, second] = params.c.split("~");
  return {
    mode,
    theme,
    colours,
    node,
    player,
    evs: sortedEvs(grid),
    isFull: isFilled(grid, params.v),
    lens: epsilon !== null && isActor ? lensFor(node, epsilon) : null,
    compared: second && isActor ? compareFor(node, first, second) : null,
    unit: params.u,
  };
}

function Cell({ number, shown, view, mode, isPinned, isFocus }) {
  const cell = shown.grid[number];
  const name = nameOfCell(number);
  const isThere = Boolean(cell && cell.combos > 0);
  const isEither = Boolean(view.lens && view.lens[number] >= 0.5);
  const className = [
    "cell",
    isThere ? "" : "absent",
    isPinned ? "pinned" : "",
    isEither ? "either" : "",
  ].join(" ");
  return html`<span role="gridcell" aria-selected=${isPinned}>
    <button
      class=${className}
      data-hand=${name}
      tabindex=${isFocus ? 0 : -1}
      aria-label=${describe(cell, name, view)}
      onClick=${() => pin(name)}
      onFocus=${() => set({ focus: number, hover: number })}
      onMouseEnter=${() => set({ hover: number })}
    >
      ${isThere && fill(cell, number, view)}
      <span class="name">${name}</span>
      ${isThere && html`<span class="value">${valueText(cell, number, view)}</span>`}
    </button>
  </span>`;
}

/** The colours of a cell, from the bottom up to how much of the hand gets here. */
function fill(cell, number, view) {
  const style = view.isFull
    ? { height: "100%", opacity: 0.4 + 0.6 * Math.sqrt(Math.min(1, cell.reach)) }
    : { height: `${Math.max(4, 100 * Math.min(1, cell.reach))}%` };
  if (view.compared) {
    const value = view.compared[number];
    if (!isKnown(value)) return null;
    const background = diverging(value / (0.1 * view.node.pot), view.theme);
    return html`<span class="fill" style=${{ ...style, background }}></span>`;
  }
  if (view.mode.startsWith("strategy")) {
    return html`<span class="fill" style=${style}>
      ${cell.frequencies.map((share, i) =>
        share > 0.0005
          ? html`<span
              class=${hatchOf(view.node.actions[i])}
              style=${{ width: `${100 * share}%`, background: view.colours[i] }}
            ></span>`
          : null,
      )}</span
    >`;
  }
  const share = scaled(cell, view);
  return share === null ? null : html`<span class="fill" style=${{ ...style, background: share }}></span>`;
}

// EVs are coloured by their rank: one hand that wins much would leave one colour to all others.
function scaled(cell, { mode, theme, evs }) {
  const rank = () => evs.filter((ev) => ev < cell.ev).length / Math.max(1, evs.length - 1);
  if (mode === "ev") return isKnown(cell.ev) ? sequential(rank(), theme) : null;
  if (mode === "eq") return isKnown(cell.equity) ? sequential(cell.equity, theme) : null;
  if (mode === "eqr") return isKnown(cell.eqr) ? diverging((cell.eqr - 1) / 0.6, theme) : null;
  return reachColour(theme);
}

function valueText(cell, number, view) {
  if (view.compared)
    return isKnown(view.compared[number]) ? signed(worth(view.compared[number], view.node, view.unit)) : "";
  switch (view.mode) {
    case "strategy+ev":
    case "ev":
      return isKnown(cell.ev) ? worth(cell.ev, view.node, view.unit) : "";
    case "strategy+eq":
    case "eq":
      return shortPercent(cell.equity);
    case "eqr":
      return isKnown(cell.eqr) ? cell.eqr.toFixed(2) : "";
    case "reach":
      return shortPercent(cell.reach);
    default:
      return "";
  }
}

const signed = (text) => (text.startsWith("-") || Number(text) === 0 ? text : `+${text}`);

/** The cell in words: AKs: raise 62 %, call 38 %, EV 1.24 bb. */
export function describe(cell, name, { node, player, unit }) {
  if (!cell) return `${name}: ${TEXT.notHeld}`;
  if (!(cell.combos > 0)) return `${name}: ${cell.arrives ? TEXT.filtered : TEXT.neverComes}`;
  const parts =
    player === node.actor
      ? cell.frequencies
          .map((share, i) => [share, node.actions[i].label])
          .filter(([share]) => share > 0.0005)
          .map(([share, label]) => `${label} ${percent(share)}`)
      : [];
  parts.push(`EV ${worth(cell.ev, node, unit, true)}`, `${percent(cell.reach)} gets here`);
  return `${name}: ${parts.join(", ")}`;
}

/** Pins a hand, or unpins it. */
export function pin(name) {
  const isPinned = handOf(state.address.params.h || "") === name && state.address.params.h;
  change({ h: isPinned ? "" : name }, true);
}

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

function move(event) {
  const number = state.focus ?? 0;
  let [row, column] = [Math.floor(number / 13), number % 13];
  if (event.key in STEPS) {
    row = Math.min(12, Math.max(0, row + STEPS[event.key][0]));
    column = Math.min(12, Math.max(0, column + STEPS[event.key][1]));
  } else if (event.key === "Home") column = 0;
  else if (event.key === "End") column = 12;
  else return;
  event.preventDefault();
  event.stopPropagation();
  set({ focus: 13 * row + column, hover: 13 * row + column });
  event.currentTarget.querySelector(`[data-hand="${nameOfCell(13 * row + column)}"]`)?.focus();
}
