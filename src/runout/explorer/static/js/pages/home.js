// All solutions that were found, in folders, with what can be done to each; solves under way; the trash.
import { look, tell } from "../api.js";
import { openDraft } from "../draft_store.js";
import { bytes } from "../format.js";
import { cardsOf } from "../hands.js";
import { html } from "../html.js";
import { Icon } from "../icons.js";
import { resumeSpot } from "../jobs.js";
import { describeQuality, follow } from "../parts/header.js";
import { Job } from "../parts/job_panel.js";
import { CardFace } from "../parts/ribbon.js";
import { matchingRuns, splitName } from "../runs.js";
import { TEXT } from "../strings.js";
import { STUDY } from "../strings_study.js";
import { linkTo, refreshRuns, say, set, state } from "../store.js";
import { DEFAULTS, viewOfKind } from "../url_state.js";

export function Home() {
  const { runs, marks } = state;
  if (!runs) return html`<main class="home"><p class="muted">${TEXT.loading}</p></main>`;
  const found = matchingRuns(runs, marks?.tags || {}, state.list || {});
  const jobs = (state.jobs || []).filter((job) => !job.is_over || job.state !== "done");
  return html`<main class="home">
    <h1>${TEXT.home}</h1>
    ${runs.length > 1 && html`<${Choices} runs=${runs} />`}
    ${
      runs.length === 0 &&
      html`<p>${TEXT.noRuns}</p>
        ${marks?.can_edit ? html`<button class="primary" onClick=${() => openDraft()}>${STUDY.newSpot}</button>` : null}
        <p>${TEXT.howToSolve}</p>
        <pre><code>runout solve-spot -c configs/spot_river.yaml -o runs/river</code></pre>`
    }
    ${jobs.length > 0 && html`<section class="panel" aria-label=${STUDY.jobs}><h2>${STUDY.jobs}</h2>${jobs.map((job) => html`<${Job} key=${job.id} job=${job} isShort />`)}</section>`}
    ${marks?.waiting?.map((name) => html`<${Waiting} key=${name} name=${name} />`)}
    <ul class="runs">
      ${found.map((run) => html`<${Run} key=${run.id} run=${run} runs=${runs} />`)}
    </ul>
    ${marks?.can_edit && html`<${Trash} />`}
  </main>`;
}

function Choices({ runs }) {
  const list = state.list || {};
  const put = (changes) => set({ list: { ...list, ...changes } });
  const kinds = [...new Set(runs.map((run) => run.kind))];
  return html`<p class="buttons choices">
    <label>${TEXT.search} <input type="search" onInput=${(event) => put({ text: event.target.value })} /></label>
    <label
      >${STUDY.sort}
      <select onChange=${(event) => put({ sort: event.target.value })}>
        ${Object.entries(STUDY.sortChoices).map(([name, label]) => html`<option value=${name}>${label}</option>`)}
      </select></label
    >
    ${
      kinds.length > 1 &&
      html`<select aria-label=${STUDY.kind} onChange=${(event) => put({ kind: event.target.value })}>
        <option value="">${STUDY.allKinds}</option>
        ${kinds.map((kind) => html`<option value=${kind}>${TEXT.kinds[kind] || kind}</option>`)}
      </select>`
    }
  </p>`;
}

function Run({ run, runs }) {
  const address = { view: viewOfKind(run.kind), run: run.id, params: { ...DEFAULTS } };
  const quality = describeQuality(run.quality);
  const partners = runs.filter(
    (other) => other.id !== run.id && other.kind === run.kind && !other.problem && viewOfKind(run.kind) !== "flops",
  );
  const [folder, name] = splitName(run.name);
  const tags = state.marks?.tags?.[run.id] || [];
  const isEdited = state.edited === run.id;
  return html`<li class=${run.problem ? "broken" : ""}>
    <span class=${`badge kind-${run.kind}`}>${TEXT.kinds[run.kind] || run.kind}</span>
    <span class="name-box">
      ${folder && html`<span class="muted folder">${folder}/</span>`}${run.problem ? html`<span class="name">${name}</span>` : html`<a class="name" aria-label=${run.name} href=${linkTo(address)} onClick=${follow(address)}>${name}</a>`}
      ${tags.map((tag) => html`<span class="badge tag">${tag}</span>`)}
    </span>
    <span class="title">
      ${run.problem ? `${TEXT.damaged}: ${run.problem}` : html`${cardsOf(run.board).map((card) => html`<${CardFace} card=${card} />`)} ${run.title.replace(run.board ? `${run.board}, ` : "", "")}`}
      ${run.num_locks > 0 && html` <span class="locked" title=${TEXT.lockedHelp}><${Icon} name="lock" /> ${run.num_locks}</span>`}
    </span>
    ${quality ? html`<span class=${`quality ${quality.isPoor ? "poor" : ""}`}>${quality.text}</span>` : html`<span></span>`}
    <span class="muted">${run.date.slice(0, 10)}${run.date && ", "}${bytes(run.size_bytes)}</span>
    <span class="buttons">
      ${
        partners.length > 0 &&
        !run.problem &&
        html`<label class="compare"
          >${TEXT.diff.pick}
          <select
            onChange=${(event) => {
              const b = event.target.value;
              if (b) follow({ view: "diff", run: run.id, params: { ...DEFAULTS, b } })(event);
            }}
          >
            <option value="">…</option>
            ${partners.map((other) => html`<option value=${other.id}>${other.name}</option>`)}
          </select></label
        >`
      }
      ${
        state.marks?.can_edit &&
        html`<button aria-expanded=${isEdited} aria-label=${`${STUDY.change} ${run.name}`} onClick=${() => set({ edited: isEdited ? null : run.id })}>
          ${STUDY.change}
        </button>`
      }
    </span>
    ${isEdited && html`<${Edit} run=${run} tags=${tags} />`}
  </li>`;
}

function Edit({ run, tags }) {
  return html`<form class="edit" onSubmit=${(event) => rename(event, run)}>
    <label>${STUDY.rename} <input name="name" value=${run.name} maxlength="200" size="24" /></label>
    <label>${STUDY.tags} <input name="tags" value=${tags.join(", ")} maxlength="300" title=${STUDY.tagsHelp} /></label>
    <button class="primary">${STUDY.save}</button>
    <button type="button" onClick=${() => discard(run)}>${STUDY.discard}</button>
  </form>`;
}

async function rename(event, run) {
  event.preventDefault();
  const form = new FormData(event.target);
  const name = form.get("name").trim();
  const tags = form.get("tags").split(",");
  const change = name === run.name ? { tags } : { name, tags };
  await doing(() => tell("POST", `/api/change/${encodeURIComponent(run.id)}`, change));
}

async function discard(run) {
  const isDone = await doing(() => tell("DELETE", `/api/runs/${encodeURIComponent(run.id)}`));
  if (isDone) say(`${run.name} ${STUDY.discarded}`);
}

/** Does something on the server, says what went wrong, and lists everything anew. */
async function doing(change) {
  try {
    const answer = await change();
    set({ edited: null, ...(answer.trash ? { trash: answer.trash } : {}) });
    await refreshRuns();
    return true;
  } catch (error) {
    say([error.where, error.problem].filter((part) => part).join(": "));
    return false;
  }
}

function Waiting({ name }) {
  return html`<p class="panel waiting">
    <b>${name}</b> <span class="muted">${STUDY.waiting}</span>
    <button onClick=${() => doing(() => resumeSpot(name))}>${STUDY.resume}</button>
    <button onClick=${() => doing(() => tell("DELETE", `/api/spots/${encodeURIComponent(name)}`))}>${STUDY.remove}</button>
  </p>`;
}

function Trash() {
  if (!state.trash) {
    state.trash = [];
    look("/api/trash").then(
      (answer) => set({ trash: answer.trash }),
      () => {},
    );
  }
  if (!state.trash.length) return null;
  return html`<details class="panel trash">
    <summary>${STUDY.trash} (${state.trash.length})</summary>
    <ul>
      ${state.trash.map(
        (entry) =>
          html`<li key=${entry.id}>
            ${entry.name}
            <button onClick=${() => doing(() => tell("POST", `/api/trash/${entry.id}`))}>${STUDY.restore}</button>
          </li>`,
      )}
    </ul>
  </details>`;
}
