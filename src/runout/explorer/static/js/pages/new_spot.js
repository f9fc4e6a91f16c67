// A new spot: ranges, board, money, sizes, and what it takes to solve it.
import { copy } from "../clipboard.js";
import { PLAYERS, STREETS, keysOf } from "../draft.js";
import { changeDraft, changeSize, importText, loadDraft, nameOfDraft, startSolve, takeImported } from "../draft_store.js";
import { bytes, duration } from "../format.js";
import { cardsOf } from "../hands.js";
import { html } from "../html.js";
import { BoardPicker } from "../parts/board_picker.js";
import { Job } from "../parts/job_panel.js";
import { Brush, RangeEditor, Shelf } from "../parts/range_editor.js";
import { TEXT } from "../strings.js";
import { STUDY } from "../strings_study.js";
import { state } from "../store.js";

export function NewSpotPage() {
  if (state.marks && !state.marks.can_edit) return html`<main><p>${STUDY.noEdit}</p></main>`;
  if (!state.draft) {
    queueMicrotask(loadDraft);
    return html`<main><p class="muted">${TEXT.loading}</p></main>`;
  }
  return html`<main class="new-spot">
    <h1>${STUDY.title}</h1>
    <${Brush} />
    <div class="ranges">${[0, 1].map((player) => html`<${RangeEditor} player=${player} />`)}</div>
    <div class="setup">
      <${BoardPicker} />
      <${Money} />
      <${BetSizes} />
      <${Solve} />
    </div>
    <${Shelf} />
    <${Import} />
  </main>`;
}

const box = (label, value, onInput, props = {}) =>
  html`<label class="box"
    ><span>${label}</span>
    <input value=${value} size="7" maxlength="200" onInput=${(event) => onInput(event.target.value)} ...${props} />
  </label>`;

const choice = (label, value, choices, onChange) =>
  html`<label class="box"
    ><span>${label}</span>
    <select onChange=${(event) => onChange(event.target.value)}>
      ${Object.entries(choices).map(([name, text]) => html`<option value=${name} selected=${name === value}>${text}</option>`)}
    </select>
  </label>`;

function Money() {
  const { draft } = state;
  return html`<section class="panel" aria-label=${STUDY.money}>
    <h2>${STUDY.money}</h2>
    <div class="boxes">
      ${box(STUDY.pot, draft.pot, (pot) => changeDraft({ pot }))}
      ${box(STUDY.stack, draft.stack, (stack) => changeDraft({ stack }))}
      ${choice(STUDY.unit, draft.unit, { bb: "bb", chips: "chips" }, (unit) => changeDraft({ unit }))}
      ${box(STUDY.rake, draft.rake, (rake) => changeDraft({ rake }))}
      ${box(STUDY.rakeCap, draft.rakeCap, (rakeCap) => changeDraft({ rakeCap }))}
    </div>
  </section>`;
}

function BetSizes() {
  const { draft } = state;
  const first = Math.max(0, cardsOf(draft.board).length - 3);
  const cell = (player, street, what) =>
    html`<td>
      <input
        aria-label=${`${player.toUpperCase()} ${street} ${STUDY[what]}`}
        size="9"
        maxlength="200"
        value=${draft.sizes[player][street][what]}
        onInput=${(event) => changeSize(player, street, what, event.target.value)}
      />
    </td>`;
  return html`<section class="panel" aria-label=${STUDY.sizes}>
    <h2>${STUDY.sizes}</h2>
    <div class="table-scroll" tabindex="0" role="region" aria-label="sizes by street">
      <table class="sizes">
        <thead>
          <tr>
            <th scope="col"><span class="visually-hidden">street</span></th>
            ${PLAYERS.flatMap((player) => ["bet", "raise", ...(player === "oop" ? ["donk"] : [])].map((what) => html`<th scope="col">${player.toUpperCase()} ${STUDY[what]}</th>`))}
          </tr>
        </thead>
        <tbody>
          ${STREETS.slice(first).map(
            (street) =>
              html`<tr>
                <th scope="row">${street}</th>
                ${PLAYERS.flatMap((player) => ["bet", "raise", ...(player === "oop" ? ["donk"] : [])].map((what) => (what === "donk" && street === STREETS[first] ? html`<td></td>` : cell(player, street, what))))}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
    <p class="muted">${STUDY.sizesHelp}</p>
    <div class="boxes">
      ${box(STUDY.maxRaises, draft.maxRaises, (maxRaises) => changeDraft({ maxRaises }))}
    </div>
    ${Object.keys(draft.extra).length > 0 && html`<${MoreKeys} extra=${draft.extra} />`}
    ${draft.locks.length > 0 && html`<${Locks} locks=${draft.locks} />`}
  </section>`;
}

/** Keys without a box of their own, as their YAML has them. */
function MoreKeys({ extra }) {
  const plain = Object.entries(extra).filter(([, value]) => value === null || typeof value !== "object");
  const read = (text) => {
    if (text === "" || text === "null") return null;
    if (text === "true" || text === "false") return text === "true";
    return Number.isFinite(Number(text)) ? Number(text) : text;
  };
  return html`<details>
    <summary>${STUDY.more}</summary>
    <div class="boxes">
      ${plain.map(([key, value]) => box(key, value ?? "", (text) => changeDraft({ extra: { ...extra, [key]: read(text) } })))}
    </div>
  </details>`;
}

function Locks({ locks }) {
  return html`<details open>
    <summary>${STUDY.locks} (${locks.length})</summary>
    <ul>
      ${locks.map(
        (lock, i) =>
          html`<li>
            <code>${lock.node || "root"}</code>
            <button onClick=${() => changeDraft({ locks: locks.filter((_, j) => j !== i) })}>${STUDY.remove}</button>
          </li>`,
      )}
    </ul>
  </details>`;
}

function Solve() {
  const { draft, draftErrors, size, isMeasuring } = state;
  const job = (state.jobs || []).find((other) => other.id === state.startedJob);
  const isTooLarge = size?.bytes > size?.memory_available_bytes;
  return html`<section class="panel solve" aria-label=${STUDY.solve}>
    <h2>${STUDY.solve}</h2>
    <div class="boxes">
      ${choice(STUDY.rivers, draft.rivers, STUDY.riverChoices, (rivers) => changeDraft({ rivers }))}
      ${choice(STUDY.precision, draft.precision, STUDY.precisionChoices, (precision) => changeDraft({ precision }))}
      ${box(STUDY.target, draft.target, (target) => changeDraft({ target }))}
      ${box(STUDY.name, draft.name, (name) => changeDraft({ name }), { placeholder: nameOfDraft(), size: 18 })}
    </div>
    <div class="estimate" role="status">
      ${isMeasuring && html`<p class="muted">${STUDY.measuring}…</p>`}
      ${draftErrors.map((error) => html`<p class="bad">${error.where}: ${error.problem}</p>`)}
      ${size?.problem && html`<p class="bad">${size.where}: ${size.problem}</p>`} ${size?.way && html`<${Needs} size=${size} />`}
      ${isTooLarge && html`<p class="bad">${STUDY.tooLarge}</p>`}
    </div>
    <p class="buttons">
      <button class="primary" disabled=${draftErrors.length > 0 || Boolean(job && !job.is_over)} onClick=${startSolve}>
        ${STUDY.start}
      </button>
    </p>
    ${job && html`<${Job} job=${job} />`}
    <details>
      <summary>${STUDY.yaml}</summary>
      <pre class="config">${state.yaml}</pre>
      <button onClick=${() => copy(state.yaml)}>${TEXT.copyPio}</button>
    </details>
    <details>
      <summary>${STUDY.command}</summary>
      <pre><code>${commandOf(draft, size)}</code></pre>
    </details>
  </section>`;
}

const USUAL_ITERATIONS = [70, 200];

function Needs({ size }) {
  const { way } = size;
  const [low, high] = USUAL_ITERATIONS.map((number) => number * size.seconds_per_iteration);
  const facts = {
    rivers: way.rivers,
    bits: way.precision,
    memory: bytes(size.bytes),
    free: bytes(size.memory_available_bytes),
    nodes: size.num_nodes.toLocaleString("en"),
    boards: size.num_boards.map((number) => number.toLocaleString("en")).join(" + "),
  };
  return html`<p>${STUDY.needs(facts)}</p>
    <p>${high < 1 ? STUDY.takesNothing : STUDY.takes(duration(low, 0), duration(high, 0))}</p>`;
}

const quoted = (text) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

const commandOf = (draft, size) => {
  const { rivers, precision } = keysOf(draft, size?.way);
  const name = quoted(nameOfDraft());
  return `runout solve-spot -c ${name}.yaml --rivers ${rivers} --precision ${precision} -o ${name}`;
};

function Import() {
  const { imported } = state;
  return html`<details class="panel import">
    <summary>${STUDY.importTitle}</summary>
    <p class="muted">${STUDY.importHelp}</p>
    <form
      onSubmit=${(event) => {
        event.preventDefault();
        importText(new FormData(event.target).get("text"));
      }}
      onDragOver=${(event) => event.preventDefault()}
      onDrop=${dropped}
    >
      <textarea name="text" rows="6" maxlength="60000" aria-label=${STUDY.importTitle}></textarea>
      <button>${STUDY.import}</button>
    </form>
    ${imported?.problem && html`<p class="bad" role="alert">${imported.problem}</p>`}
    ${imported?.spots && html`<p>${STUDY.importChoose} ${imported.spots.map((spot) => html`<button onClick=${() => takeImported(spot)}>${spot.name}</button> `)}</p>`}
  </details>`;
}

async function dropped(event) {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  importText(file ? await file.text() : event.dataTransfer.getData("text"));
}
