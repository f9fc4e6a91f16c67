// A range painted on the grid of hands, and its text beside it; both are the same range.
import { keepRange, paint, typeRange, writeAs } from "../draft_store.js";
import { numCombos, weightOf, withCombo, withHand } from "../draft.js";
import { combos, percent, shortPercent } from "../format.js";
import { RANKS, cellOf, combosOf, nameOfCell } from "../hands.js";
import { html } from "../html.js";
import { STUDY } from "../strings_study.js";
import { set, state } from "../store.js";
import { Combo } from "../tabs/hands.js";

const NOTATIONS = ["runout", "pio", "gto+", "percent"];
const WEIGHTS = [1, 0.75, 0.5, 0.25, 0];

/** The weight that the brush paints. */
export function Brush() {
  const brush = state.brush ?? 1;
  return html`<div class="brush" role="group" aria-label=${STUDY.brush}>
    <label
      >${STUDY.brush}
      <input
        type="range"
        min="0"
        max="100"
        step="5"
        value=${Math.round(100 * brush)}
        onInput=${(event) => set({ brush: Number(event.target.value) / 100 })}
    /></label>
    <span class="segments">
      ${WEIGHTS.map(
        (weight) =>
          html`<button aria-pressed=${weight === brush} onClick=${() => set({ brush: weight })}>
            ${weight ? percent(weight, 0) : STUDY.erase}
          </button>`,
      )}
    </span>
    <p class="muted">${STUDY.paintHelp}</p>
  </div>`;
}

export function RangeEditor({ player }) {
  const weights = state.weights[player];
  const count = numCombos(weights);
  const focus = state.paintFocus?.[player] ?? 0;
  return html`<section class="panel range-editor" aria-label=${STUDY.players[player]}>
    <h2>${STUDY.players[player]} <small>${combos(count)} combos, ${percent(count / 1326)}</small></h2>
    <div
      class="matrix paint"
      role="grid"
      aria-label=${STUDY.players[player]}
      onPointerDown=${(event) => begin(event, player)}
      onPointerMove=${(event) => drag(event, player)}
      onKeyDown=${(event) => press(event, player)}
    >
      ${[...RANKS].map(
        (rank, row) =>
          html`<div role="row">
            ${[...RANKS].map((_, column) => {
              const number = 13 * row + column;
              const name = nameOfCell(number);
              const weight = weightOf(weights, name);
              return html`<span role="gridcell" key=${name}>
                <button
                  class="cell"
                  data-paint=${name}
                  tabindex=${number === focus ? 0 : -1}
                  aria-label=${`${name} ${percent(weight, 0)}`}
                  onFocus=${() => focusOn(player, number)}
                >
                  ${weight > 0 && html`<span class="fill painted" style=${{ height: `${100 * weight}%` }}></span>`}
                  <span class="name">${name}</span>
                  ${weight > 0 && weight < 1 && html`<span class="value">${shortPercent(weight)}</span>`}
                </button>
              </span>`;
            })}
          </div>`,
      )}
    </div>
    ${state.suits?.player === player && html`<${Suits} player=${player} hand=${state.suits.hand} />`}
    <${RangeText} player=${player} />
  </section>`;
}

function focusOn(player, number) {
  set({ paintFocus: { ...state.paintFocus, [player]: number } });
}

let stroke = null;

// The hand under the pointer decides whether a stroke paints or erases.
function begin(event, player) {
  const hand = handAt(event);
  if (!hand || event.button > 0) return;
  const brush = state.brush ?? 1;
  stroke = { player, weight: weightOf(state.weights[player], hand) === brush ? 0 : brush, last: hand };
  focusOn(player, cellOf(hand));
  paint(player, withHand(state.weights[player], hand, stroke.weight));
  showSuits(player, hand);
  event.target.releasePointerCapture?.(event.pointerId);
  window.addEventListener("pointerup", () => (stroke = null), { once: true });
}

function drag(event, player) {
  const hand = handAt(event);
  if (!stroke || stroke.player !== player || !hand || hand === stroke.last) return;
  stroke.last = hand;
  paint(player, withHand(state.weights[player], hand, stroke.weight));
  showSuits(player, hand);
}

const handAt = (event) =>
  document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-paint]")?.dataset.paint;

// Suits stay open and follow the hand.
const showSuits = (player, hand) => state.suits && set({ suits: { player, hand } });

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

function press(event, player) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const number = state.paintFocus?.[player] ?? 0;
  const hand = nameOfCell(number);
  const put = (weight) => paint(player, withHand(state.weights[player], hand, weight));
  if (event.key in STEPS) {
    const [down, right] = STEPS[event.key];
    const row = Math.min(12, Math.max(0, Math.floor(number / 13) + down));
    const column = Math.min(12, Math.max(0, (number % 13) + right));
    event.currentTarget.querySelector(`[data-paint="${nameOfCell(13 * row + column)}"]`).focus();
    if (event.shiftKey) paint(player, withHand(state.weights[player], nameOfCell(13 * row + column), state.brush ?? 1));
  } else if (/^[0-9]$/.test(event.key)) put(Number(event.key) / 10);
  else if (event.key === "Delete" || event.key === "Backspace") put(0);
  else if (event.key === "Enter" || event.key === " ")
    put(weightOf(state.weights[player], hand) === (state.brush ?? 1) ? 0 : (state.brush ?? 1));
  else if (event.key.toLowerCase() === "s") set({ suits: state.suits ? null : { player, hand } });
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** The combos of a hand, each with a weight of its own. */
function Suits({ player, hand }) {
  const weights = state.weights[player];
  return html`<div class="suits-of" role="group" aria-label=${`${STUDY.suitsOf} ${hand}`}>
    <span>${STUDY.suitsOf} ${hand}</span>
    ${combosOf(hand).map((combo) => {
      const weight = weightOf(weights, combo);
      const brush = state.brush ?? 1;
      return html`<button
        aria-label=${`${combo} ${percent(weight, 0)}`}
        aria-pressed=${weight > 0}
        onClick=${() => paint(player, withCombo(weights, combo, weight === brush ? 0 : brush))}
      >
        <${Combo} name=${combo} /> <small>${percent(weight, 0)}</small>
      </button>`;
    })}
  </div>`;
}

function RangeText({ player }) {
  const { draft, shelf, rangeProblems, presets } = state;
  const problem = rangeProblems[player];
  const saved = Object.entries(shelf || {});
  const load = (event) => {
    if (event.target.value) typeRange(player, event.target.value);
    event.target.value = "";
  };
  return html`<div class="range-text">
    <label
      ><span class="visually-hidden">${STUDY.rangeText}</span>
      <textarea
        rows="3"
        aria-label=${`${STUDY.rangeText}, ${STUDY.players[player]}`}
        aria-invalid=${Boolean(problem)}
        value=${draft.texts[player]}
        maxlength="60000"
        spellcheck=${false}
        onInput=${(event) => typeRange(player, event.target.value)}
      ></textarea>
    </label>
    ${problem && html`<p class="bad" role="alert">${problem}</p>`}
    <p class="buttons">
      <select aria-label=${STUDY.notation} onChange=${(event) => writeAs(player, event.target.value)}>
        ${NOTATIONS.map((name) => html`<option value=${name}>${name}</option>`)}
      </select>
      <button onClick=${() => paint(player, {})}>${STUDY.clear}</button>
      <button
        aria-pressed=${state.suits?.player === player}
        onClick=${() => set({ suits: state.suits?.player === player ? null : { player, hand: nameOfCell(state.paintFocus?.[player] ?? 0) } })}
      >
        ${STUDY.suitsOf} ${nameOfCell(state.paintFocus?.[player] ?? 0)}
      </button>
      <select aria-label=${`${STUDY.shelf}: ${STUDY.shelfChoose}`} onChange=${load}>
        <option value="">${STUDY.shelf}…</option>
        ${saved.length > 0 && html`<optgroup label=${STUDY.saved}>${saved.map(([name, text]) => html`<option value=${text}>${name}</option>`)}</optgroup>`}
        ${(presets || []).map(
          (group) =>
            html`<optgroup label=${group.name}>
              ${Object.entries(group.ranges).map(([name, text]) => html`<option value=${text}>${name}</option>`)}
            </optgroup>`,
        )}
      </select>
    </p>
    <form class="buttons" onSubmit=${(event) => keep(event, player)}>
      <input name="name" size="12" maxlength="80" aria-label=${STUDY.nameOfRange} placeholder=${STUDY.nameOfRange} />
      <button>${STUDY.saveAs}</button>
    </form>
  </div>`;
}

function keep(event, player) {
  event.preventDefault();
  const name = new FormData(event.target).get("name").trim();
  if (!name) return;
  keepRange(name, state.draft.texts[player]);
  event.target.reset();
}

/** The ranges that were saved: to be removed, exported and imported. */
export function Shelf() {
  const { shelf, shelfProblem } = state;
  const names = Object.keys(shelf || {});
  return html`<details class="panel shelf">
    <summary>${STUDY.shelf} (${names.length})</summary>
    ${shelfProblem && html`<p class="bad" role="alert">${shelfProblem}</p>`}
    <ul>
      ${names.map((name) => html`<li>${name} <code>${shelf[name].slice(0, 60)}</code> <button onClick=${() => keepRange(name, "")}>${STUDY.remove}</button></li>`)}
    </ul>
    <p class="buttons">
      <a download="ranges.json" href=${`data:application/json,${encodeURIComponent(JSON.stringify(shelf || {}, null, 1))}`}
        >${STUDY.exportShelf}</a
      >
      <label>${STUDY.importShelf} <input type="file" accept=".json" onChange=${importShelf} /></label>
    </p>
  </details>`;
}

async function importShelf(event) {
  try {
    const found = JSON.parse(await event.target.files[0].text());
    for (const [name, text] of Object.entries(found)) await keepRange(name, String(text));
  } catch (error) {
    set({ shelfProblem: String(error.message) });
  }
}
