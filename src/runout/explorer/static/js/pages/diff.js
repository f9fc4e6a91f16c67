// Two solutions as a difference, the same line in both.
import { diverging } from "../colours.js";
import { madeRows } from "../breakdown.js";
import { classChanges, commonActions, differenceGrid, moved } from "../difference.js";
import { RANKS, nameOfCell } from "../hands.js";
import { html } from "../html.js";
import { combos, isKnown, percent, signedPercent, worth } from "../format.js";
import { Ribbon } from "../parts/ribbon.js";
import { describeQuality } from "../parts/header.js";
import { TEXT } from "../strings.js";
import { className } from "../parts/filter_bar.js";
import { classesOf } from "../shown.js";
import { remember } from "../node_math.js";
import { change, go, state, themeOf } from "../store.js";

const classesFor = remember((classes, node, other) =>
  classes && [classesOf(classes, node), classesOf(classes, other)],
);

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
  const classes = classesFor(state.classes, node, other);
  return html`<main class="explorer diff">
    <${Ribbon} />
    <h1>
      ${facts.name} → ${otherFacts?.name}
      <button onClick=${() => go({ view: "diff", run: params.b, params: { ...params, b: state.address.run } })}>
        ${TEXT.diff.swap}
      </button>
    </h1>
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
      ${range !== null && html`<span title=${TEXT.diff.movedHelp}>${TEXT.diff.moved(percent(range))}</span>`}
    </div>
    <div class="two-columns">
      <${DiffMatrix} grid=${grid} what=${what} node=${node} />
      <section class="panel" tabindex="0" aria-label=${TEXT.diff.title}>
        <table>
          <thead>
            <tr>
              <th scope="col"><span class="visually-hidden">value</span></th>
              <th scope="col" class="number" title=${facts.name}>${TEXT.diff.before}</th>
              <th scope="col" class="number" title=${otherFacts?.name}>${TEXT.diff.after}</th>
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
                <td class="number">${signedPercent(twin.frequency - action.frequency)}</td>
              </tr>`;
            })}
            ${node.players.map(
              (name, i) =>
                html`<tr>
                  <th scope="row">${name} ${TEXT.ev}</th>
                  <td class="number">${worth(node.range_ev[i], node, params.u)}</td>
                  <td class="number">${worth(other.range_ev[i], other, params.u)}</td>
                  <td class="number">
                    ${isKnown(node.range_ev[i]) && isKnown(other.range_ev[i]) ? signedWorth(other.range_ev[i] - node.range_ev[i], node) : "\u2013"}
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
        ${classes && html`<${ByClass} before=${node} after=${other} player=${player} what=${what} classes=${classes} />`}
      </section>
    </div>
  </main>`;
}

const signedWorth = (value, node) => {
  const text = worth(value, node, state.address.params.u);
  return value > 0 && Number(text) !== 0 ? `+${text}` : text;
};

function ByClass({ before, after, player, what, classes }) {
  const rowsOf = (node) => madeRows(node, player, node === before ? classes[0] : classes[1], null);
  const show = (value) => (what === "ev" ? worth(value, before, state.address.params.u) : percent(value));
  const change = (row) => {
    if (!isKnown(row.before) || !isKnown(row.after)) return "\u2013";
    return what === "ev" ? signedWorth(row.after - row.before, before) : signedPercent(row.after - row.before);
  };
  return html`<table>
    <caption>
      ${TEXT.diff.byClass}
    </caption>
    <thead>
      <tr>
        <th scope="col"><span class="visually-hidden">${TEXT.classes}</span></th>
        ${[TEXT.combos, TEXT.diff.before, TEXT.diff.after, TEXT.diff.title].map((name) => html`<th scope="col" class="number">${name}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${classChanges(before, after, rowsOf, what).map(
        (row) =>
          html`<tr>
            <th scope="row">${className(row.name)}</th>
            ${[combos(row.combos), show(row.before), show(row.after), change(row)].map((text) => html`<td class="number">${text}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function DiffMatrix({ grid, what, node }) {
  const theme = themeOf(state.settings);
  const largest = Math.max(1e-9, ...grid.filter(isKnown).map(Math.abs));
  const scale = what === "ev" ? largest : Math.max(0.25, largest);
  const text = (value) => (what === "ev" ? signedWorth(value, node) : whole(100 * value));
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
