// From a line before the flop to a flop: one that is solved, or the command that solves another.
import { isStatic, tell } from "../api.js";
import { copy } from "../clipboard.js";
import { areAlike, cardsOf } from "../hands.js";
import { html } from "../html.js";
import { watchJobs } from "../jobs.js";
import { joinPath } from "../paths.js";
import { Job } from "../parts/job_panel.js";
import { CardFace } from "../parts/ribbon.js";
import { TEXT } from "../strings.js";
import { change, go, goToNode, set, state } from "../store.js";
import { DEFAULTS } from "../url_state.js";

export function ToFlop({ node }) {
  const { facts, runs } = state;
  const board = state.address.params.flop;
  const flops = node.flops || [];
  const earlier = (runs || []).filter(
    (run) => run.name.startsWith(`${facts.name}/spots/${node.path}-`) && !run.problem,
  );
  return html`<section class="to-flop" aria-label=${TEXT.toFlop.title}>
    <h2>${TEXT.toFlop.title}</h2>
    ${
      flops.length > 0 &&
      html`<p class="flop-buttons">
        ${flops.map(
          (flop) =>
            html`<button
              key=${flop}
              aria-label=${flop}
              onClick=${() => goToNode(joinPath(node.path, flop))}
            >
              ${cardsOf(flop).map((card) => html`<${CardFace} card=${card} />`)}
            </button>`,
        )}
        <button
          class="link"
          onClick=${() => go({ view: "flops", run: state.address.run, params: { ...DEFAULTS, n: node.path } })}
        >
          ${TEXT.toFlop.report} →
        </button>
      </p>`
    }
    ${earlier.length > 0 && html`<p class="flop-buttons">${TEXT.toFlop.earlier} ${earlier.map((run) => html`<button key=${run.id} onClick=${() => go({ view: "spot", run: run.id, params: { ...DEFAULTS } })}>${run.title}</button>`)}</p>`}
    <form onSubmit=${ask}>
      <label
        >${flops.length ? TEXT.toFlop.other : TEXT.flops.flop}
        <input name="board" value=${board} placeholder=${TEXT.toFlop.board} autocomplete="off" maxlength="8"
      /></label>
      <button>${TEXT.goThere}</button>
    </form>
    ${board && html`<${Command} node=${node} board=${board} facts=${facts} />`}
    ${!board && state.estimate?.problem && html`<p role="status">${state.estimate.problem}</p>`}
  </section>`;
}

/** Three cards as they are written, or null. */
export function readFlop(text) {
  const cards = text.replaceAll(/[\s,]/g, "").replaceAll(/10/g, "T").match(/../g) || [];
  const tidy = cards.map((card) => card[0].toUpperCase() + card[1].toLowerCase());
  const isFlop =
    tidy.length === 3 && new Set(tidy).size === 3 && tidy.every((card) => /^[2-9TJQKA][cdhs]$/.test(card));
  return isFlop && tidy.join("").length === text.replaceAll(/[\s,]/g, "").replaceAll(/10/g, "T").length
    ? tidy.join("")
    : null;
}

function ask(event) {
  event.preventDefault();
  const board = readFlop(new FormData(event.target).get("board"));
  if (!board) {
    set({ problem: null, estimate: { problem: TEXT.toFlop.bad } });
    return;
  }
  const isSolved = (state.node.flops || []).some((flop) => areAlike(flop, board));
  if (isSolved) goToNode(joinPath(state.node.path, board));
  else {
    set({ estimate: null, startedJob: null });
    change({ flop: board });
  }
}

function Command({ node, board, facts }) {
  const words = [
    "runout",
    "solve-spot",
    "--from",
    quoted(facts.path),
    "--node",
    node.path,
    "--board",
    board,
    "-o",
    quoted(`${facts.path}/spots/${node.path}-${board}`),
  ];
  const command = words.join(" ");
  const { estimate } = state;
  const job = (state.jobs || []).find((other) => other.id === state.startedJob);
  return html`<div class="command">
    <p>${TEXT.toFlop.command}</p>
    <pre><code>${command}</code></pre>
    <p class="buttons">
      <button onClick=${() => copy(command)}>${TEXT.copyPio}</button> ${
        facts.can_solve &&
        html`<button onClick=${() => estimateIt(node, board)}>${TEXT.toFlop.estimate}</button>
          <button class="primary" disabled=${Boolean(job && !job.is_over)} onClick=${() => solveIt(node, board)}>
            ${TEXT.toFlop.run}
          </button>`
      }
    </p>
    ${!facts.can_solve && !isStatic() && html`<p class="muted">${TEXT.toFlop.onlyHere}</p>`}
    ${estimate && html`<p role="status">${estimate.problem || estimate.text}</p>`}
    ${job && html`<${Job} job=${job} />`}
  </div>`;
}

const quoted = (text) => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

async function estimateIt(node, board) {
  set({ estimate: { text: TEXT.toFlop.trying } });
  const question = { run: state.address.run, node: node.path, board };
  set({
    estimate: await tell("POST", "/api/estimate", question).catch((error) => ({ problem: error.problem })),
  });
}

async function solveIt(node, board) {
  try {
    const job = await tell("POST", "/api/jobs", { run: state.address.run, node: node.path, board });
    set({ startedJob: job.id });
    watchJobs(job);
  } catch (error) {
    set({ estimate: { problem: error.problem } });
  }
}
