// The draft of a new spot: kept by the browser, checked and measured by the server as it changes.
import { Refused, look, tell } from "./api.js";
import { chooseWay, draftOf, keysOf, nameFor, newDraft, textOfWeights, weightsOfText } from "./draft.js";
import { cardsOf } from "./hands.js";
import { watchJobs } from "./jobs.js";
import { go, set, state } from "./store.js";
import { DEFAULTS } from "./url_state.js";

const KEPT = "runout-draft";
const WAIT_MS = 350;
export const NEW = { view: "new", run: "", params: { ...DEFAULTS } };

/** Opens the page of a new spot, with the keys of another spot or with the last draft. */
export function openDraft(keys = null, name = "") {
  if (keys) put(draftOf(keys, name));
  go(NEW);
}

/** The draft that is on; the one that was kept if the page was loaded again. */
export function loadDraft() {
  if (state.draft) return;
  let draft = newDraft();
  try {
    draft = { ...draft, ...JSON.parse(localStorage.getItem(KEPT) || "{}") };
  } catch {
    // the usual one
  }
  put(draft);
  look("/static/presets.json").then(
    (presets) => set({ presets }),
    () => {},
  );
  look("/api/shelf").then(
    (shelf) => set({ shelf: shelf.ranges }),
    () => {},
  );
}

function put(draft) {
  set({ draft, weights: [{}, {}], rangeProblems: ["", ""], size: null, draftErrors: [], notation: "runout" });
  for (const player of [0, 1]) readRange(player);
  changed();
}

/** Changes boxes of the draft. */
export function changeDraft(changes) {
  set({ draft: { ...state.draft, ...changes } });
  changed();
}

export function changeSize(player, street, what, text) {
  const { sizes } = state.draft;
  const row = { ...sizes[player][street], [what]: text };
  changeDraft({ sizes: { ...sizes, [player]: { ...sizes[player], [street]: row } } });
}

/** Takes painted weights; the text follows. */
export function paint(player, weights) {
  const texts = state.draft.texts.with(player, textOfWeights(weights));
  set({ weights: state.weights.with(player, weights), rangeProblems: state.rangeProblems.with(player, "") });
  changeDraft({ texts });
}

let timers = [null, null];

/** Takes a typed text; the server reads it, and the grid follows. */
export function typeRange(player, text) {
  changeDraft({ texts: state.draft.texts.with(player, text) });
  clearTimeout(timers[player]);
  timers[player] = setTimeout(() => readRange(player), WAIT_MS);
}

async function readRange(player) {
  const text = state.draft.texts[player];
  const answer = await answerOf(() => tell("POST", "/api/range", { text }));
  if (state.draft?.texts[player] !== text) return; // typed on meanwhile
  const problem = answer.texts ? "" : `${answer.where}: ${answer.problem}`;
  const weights = answer.texts ? weightsOfText(answer.texts.pio) : state.weights[player];
  set({
    weights: state.weights.with(player, weights),
    rangeProblems: state.rangeProblems.with(player, problem),
  });
}

/** Writes a range in another notation into its box. */
export async function writeAs(player, notation) {
  const answer = await answerOf(() => tell("POST", "/api/range", { text: state.draft.texts[player] }));
  if (answer.texts) changeDraft({ texts: state.draft.texts.with(player, answer.texts[notation]) });
}

async function answerOf(question) {
  try {
    return await question();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { where: error.where, problem: error.problem || "the server does not answer" };
  }
}

let timer = null;
let isMeasuring = false;

function changed() {
  try {
    localStorage.setItem(KEPT, JSON.stringify(state.draft));
  } catch {
    // without storage it lasts as long as the page
  }
  clearTimeout(timer);
  timer = setTimeout(check, WAIT_MS);
}

/** Asks what is wrong with the draft and what it takes; one question at a time. */
async function check() {
  if (isMeasuring) return;
  isMeasuring = true;
  const { draft } = state;
  try {
    const checked = await answerOf(() => tell("POST", "/api/draft", { keys: keysOf(draft) }));
    const errors = checked.errors || [checked];
    set({ draftErrors: errors, yaml: checked.yaml, isMeasuring: !errors.length });
    if (!errors.length) set({ size: await measure(draft) });
    else set({ size: null });
  } finally {
    isMeasuring = false;
    set({ isMeasuring: false });
    if (state.draft !== draft) changed();
  }
}

async function measure(draft) {
  const ask = (way) => answerOf(() => tell("POST", "/api/draft/size", { keys: keysOf(draft, way) }));
  const isFlop = cardsOf(draft.board).length === 3;
  let way = { rivers: draft.rivers === "compact" && isFlop ? "compact" : "exact", precision: 32 };
  let size = await ask(way);
  if (size.problem) return size;
  const chosen = chooseWay(size, isFlop);
  if (draft.precision !== "auto") chosen.precision = Number(draft.precision);
  if (draft.rivers === "auto" && chosen.rivers === "compact" && way.rivers !== "compact") {
    size = await ask(chosen);
    chosen.precision = draft.precision === "auto" ? chooseWay(size, isFlop).precision : chosen.precision;
  } else chosen.rivers = way.rivers;
  const keys = keysOf(draft, chosen);
  const checked = await answerOf(() => tell("POST", "/api/draft", { keys }));
  if (checked.yaml) set({ yaml: checked.yaml });
  return { ...size, way: chosen, bytes: size[`memory_bytes_${chosen.precision}`] };
}

export const nameOfDraft = () => {
  const taken = [...(state.runs || []).map((run) => run.name), ...(state.jobs || []).map((job) => job.name)];
  return state.draft.name.trim() || nameFor(state.draft, taken);
};

/** Starts the solve, or says what is wrong. */
export async function startSolve() {
  const keys = keysOf(state.draft, state.size?.way);
  const name = nameOfDraft();
  const answer = await answerOf(() => tell("POST", "/api/spots", { keys, name }));
  if (answer.problem) set({ draftErrors: [answer] });
  else {
    set({ draftErrors: [], startedJob: answer.id });
    watchJobs(answer);
  }
}

/** Reads a text of any known kind; several spots are offered. */
export async function importText(text) {
  const answer = await answerOf(() => tell("POST", "/api/import", { text }));
  if (answer.problem) set({ imported: { problem: `${answer.where}: ${answer.problem}` } });
  else if (answer.spots.length === 1) takeImported(answer.spots[0]);
  else set({ imported: answer });
}

export function takeImported({ keys }) {
  set({ imported: null });
  if ("range" in keys) typeRange(0, keys.range);
  else put(draftOf({ ...keysOf(state.draft), ...("pot" in keys ? { big_blind: null } : {}), ...keys }));
}

export async function keepRange(name, text) {
  const answer = await answerOf(() => tell("POST", "/api/shelf", { name, text }));
  if (answer.ranges) set({ shelf: answer.ranges, shelfProblem: "" });
  else set({ shelfProblem: `${answer.where}: ${answer.problem}` });
}
