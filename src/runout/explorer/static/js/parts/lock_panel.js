// Locks of the node that is on: sliders and points per action, for all hands or some; then solve again.
import { Refused, tell } from "../api.js";
import { percent } from "../format.js";
import { html } from "../html.js";
import { Icon } from "../icons.js";
import { watchJobs } from "../jobs.js";
import { lockText, withEdit } from "../locks.js";
import { hasFilters, filtersOf } from "../filters.js";
import { STUDY } from "../strings_study.js";
import { go, set, state } from "../store.js";
import { DEFAULTS } from "../url_state.js";
import { Job } from "./job_panel.js";

const POINT = 0.1;

const draftAt = (path) => (state.lockDraft?.path === path ? state.lockDraft : { path, edits: {}, hands: "all", text: null });
const pendingOf = (run) => (state.pending?.run === run ? state.pending : { run, locks: [] });

export function LockPanel({ shown }) {
  const { facts, marks, node } = state;
  if (!marks?.can_edit || !facts?.spot || node.actor === null || shown.player !== node.actor) return null;
  const draft = draftAt(node.path);
  const pending = pendingOf(state.address.run);
  const text = draft.text ?? lockText(node.path, draft.edits, handsOf(draft.hands, shown));
  const edit = (code, sign, share) => set({ lockDraft: { ...draft, text: null, edits: withEdit(draft.edits, code, sign, share) } });
  return html`<details class="panel lock" open=${pending.locks.length > 0 || state.lockDraft?.path === node.path}>
    <summary><${Icon} name="lock" /> ${STUDY.lock.title}</summary>
    <table>
      <tbody>
        ${node.actions.map((action) => html`<${Row} key=${action.code} action=${action} edit=${edit} now=${draft.edits[action.code]} />`)}
      </tbody>
    </table>
    <p class="buttons">
      <select aria-label=${STUDY.lock.whose} onChange=${(event) => set({ lockDraft: { ...draft, text: null, hands: event.target.value } })}>
        <option value="all">${STUDY.lock.all}</option>
        <option value="filtered" selected=${draft.hands === "filtered"} disabled=${!hasFilters(filtersOf(state.address.params))}>${STUDY.lock.filtered}</option>
        <option value="pinned" selected=${draft.hands === "pinned"} disabled=${!state.address.params.h}>${STUDY.lock.pinned}</option>
      </select>
      <input
        aria-label=${STUDY.lock.text}
        size="30"
        maxlength="8000"
        value=${text}
        onInput=${(event) => set({ lockDraft: { ...draft, text: event.target.value } })}
      />
      <button onClick=${() => addLock(text, pending)}>${STUDY.lock.add}</button>
    </p>
    ${state.lockProblem && html`<p class="bad" role="alert">${state.lockProblem}</p>`}
    <${Pending} pending=${pending} />
  </details>`;
}

function Row({ action, edit, now }) {
  const set = now?.[0] === "=" ? now[1] : (action.frequency ?? 0);
  const button = (label, sign, share) =>
    html`<button aria-label=${`${action.label}: ${label}`} aria-pressed=${now?.[0] === sign && now[1] === share} onClick=${() => edit(action.code, sign, share)}>${label}</button>`;
  return html`<tr>
    <th scope="row">${action.label}</th>
    <td class="number">${percent(action.frequency)}</td>
    <td>
      <input
        type="range"
        min="0"
        max="100"
        aria-label=${`${action.label} ${STUDY.lock.share}`}
        value=${Math.round(100 * set)}
        onChange=${(event) => edit(action.code, "=", Number(event.target.value) / 100)}
      />
    </td>
    <td class="buttons">
      ${button(STUDY.lock.never, "=", 0)} ${button(STUDY.lock.always, "=", 1)} ${button("\u2212 10", "-=", POINT)}
      ${button("+ 10", "+=", POINT)}
    </td>
  </tr>`;
}

function handsOf(choice, { node, player, factors }) {
  const { h } = state.address.params;
  if (choice === "pinned") return h;
  if (choice !== "filtered" || !factors) return "";
  return node.hands[player].filter((_, i) => factors[i] > 0 && node.weights[player][i] > 0).join(",");
}

async function addLock(text, pending) {
  const others = pending.locks.filter((other) => other.split(" ")[0] !== text.split(" ")[0]);
  const problem = await refusal(() => ask(pending.run, [text]));
  if (problem) set({ lockProblem: problem });
  else set({ pending: { ...pending, locks: [...others, text] }, lockDraft: null, lockProblem: "" });
}

const ask = (run, texts, name = "") => tell("POST", `/api/locks/${encodeURIComponent(run)}`, { texts, name });

/** Why the server does not do something; nothing if it does. */
async function refusal(question) {
  try {
    const answer = await question();
    return answer.problem ? `${answer.where}: ${answer.problem}` : "";
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return `${error.where}: ${error.problem}`;
  }
}

/** Locks that wait for the next solve, that solve, and what it changed. */
function Pending({ pending }) {
  const job = (state.jobs || []).find((other) => other.id === pending.job);
  const n = state.node.path;
  return html`<div class="pending">
    ${pending.locks.map(
      (text) =>
        html`<button class="chip" onClick=${() => set({ pending: { ...pending, locks: pending.locks.filter((other) => other !== text) } })}>
          <code>${text.length > 60 ? `${text.slice(0, 57)}...` : text}</code> <span aria-hidden="true">×</span>
        </button>`,
    )}
    ${pending.locks.length > 0 && html`<button class="primary" onClick=${() => solveAgain(pending)}>${STUDY.lock.solve}</button>`}
    ${job && html`<${Job} job=${job} isShort />`}
    ${
      job?.run &&
      html`<button class="primary" onClick=${() => go({ view: "diff", run: pending.run, params: { ...DEFAULTS, b: job.run, n } })}>
        ${STUDY.lock.difference}
      </button>`
    }
  </div>`;
}

async function solveAgain(pending) {
  const { name } = state.facts;
  const taken = state.runs.map((run) => run.name);
  let number = 1;
  while (taken.includes(`${name}-locked-${number}`)) number += 1;
  const problem = await refusal(async () => {
    const job = await ask(pending.run, pending.locks, `${name}-locked-${number}`);
    set({ pending: { ...pending, job: job.id } });
    watchJobs(job);
    return job;
  });
  set({ lockProblem: problem });
}
