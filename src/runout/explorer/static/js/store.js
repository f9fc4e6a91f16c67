// All that the page knows, and the few ways in which it changes.
import { Refused, ask, forget, isStatic } from "./api.js";
import { isOnLine, withRowPerCard } from "./paths.js";
import { DEFAULTS, formatAddress, parseAddress } from "./url_state.js";

const SETTINGS = "runout-settings";

export const state = {
  address: { view: "home", run: "", params: { ...DEFAULTS } },
  runs: null,
  marks: null, // what the user keeps: tags, what waits, whether anything may be changed
  jobs: null,
  draft: null,
  facts: null,
  node: null,
  line: null,
  classes: null,
  cards: null,
  lines: null,
  flops: null,
  other: null,
  otherFacts: null,
  estimate: null,
  problem: null,
  notice: null, // of a step that could not be taken
  isLoading: false,
  hover: null,
  focus: null,
  overlay: null,
  message: "",
  settings: loadSettings(),
};

let listener = () => {};
let isDrawing = false;

/** Calls a function after changes, once for several at the same moment. */
export function subscribe(draw) {
  listener = draw;
}

/** Changes what the page knows. */
export function set(changes) {
  Object.assign(state, changes);
  if (isDrawing) return;
  isDrawing = true;
  queueMicrotask(() => {
    isDrawing = false;
    listener();
  });
}

function loadSettings() {
  const usual = { theme: "", palette: "classic", hatching: false };
  try {
    return { ...usual, ...JSON.parse(localStorage.getItem(SETTINGS) || "{}") };
  } catch {
    return usual;
  }
}

/** Changes colours; they are kept for the next visit and are in no address. */
export function choose(changes) {
  const settings = { ...state.settings, ...changes };
  try {
    localStorage.setItem(SETTINGS, JSON.stringify(settings));
  } catch {
    // without storage they last as long as the page
  }
  set({ settings });
}

/** Light or dark: what was chosen, or what the system says. */
export function themeOf(settings) {
  if (settings.theme) return settings.theme;
  return window.matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
}

const addressText = () => (isStatic() ? location.hash.slice(1) || "/" : location.pathname + location.search);

/** The link to an address, for anchors and the history. */
export function linkTo(address) {
  const text = formatAddress(address);
  return isStatic() ? `#${text}` : text;
}

/** The address that is on, with some parameters changed. */
export function changed(params) {
  return { ...state.address, params: { ...state.address.params, ...params } };
}

/** Goes to an address; `isSmall` changes replace the entry of the history. */
export function go(address, isSmall = false) {
  if (isSmall) history.replaceState(null, "", linkTo(address));
  else history.pushState(null, "", linkTo(address));
  arrive(address);
}

/** Changes parameters of the view. */
export const change = (params, isSmall = false) => go(changed(params), isSmall);

/** Goes to a node; the line stays as long as it leads through it. */
export function goToNode(path) {
  const { params } = state.address;
  const line = [params.l, params.n].find((known) => known && isOnLine(path, known)) || "";
  change({ n: path, l: line === path ? "" : line, a: "", c: "", p: "", flop: "" });
}

/** Shows where the browser is, at the beginning and after its back button. */
export function arriveFromBrowser() {
  arrive(parseAddress(addressText()));
}

let numArrivals = 0;

async function arrive(address) {
  numArrivals += 1;
  const number = numArrivals;
  const before = state.address;
  const isOtherRun = before.run !== address.run || before.view !== address.view;
  set({ address, isLoading: true, hover: null, notice: null, ...(isOtherRun ? EMPTY : {}) });
  try {
    await load(address, (changes) => number === numArrivals && set(changes));
    if (number === numArrivals) set({ isLoading: false });
  } catch (error) {
    if (number !== numArrivals) return;
    if (!(error instanceof Refused)) throw error;
    if (!isOtherRun && state.node) {
      // What was on stays, and so does its address.
      history.replaceState(null, "", linkTo(before));
      set({ address: before, isLoading: false, notice: error });
    } else if (address.params.n && state.facts && error.status === 404) {
      go({ ...address, params: { ...DEFAULTS } }, true);
      set({ notice: error });
    } else set({ isLoading: false, problem: error });
  }
}

const EMPTY = {
  facts: null,
  node: null,
  line: null,
  classes: null,
  cards: null,
  lines: null,
  flops: null,
  other: null,
  otherFacts: null,
  estimate: null,
  problem: null,
};

async function load({ view, run, params }, put) {
  if (view === "home" || view === "new") {
    const marks = await ask("runs", "", "", true);
    put({ runs: marks.runs, marks, problem: null });
    return;
  }
  ask("runs").then(
    (marks) => put({ runs: marks.runs, marks }),
    () => {},
  );
  if (view === "flops") {
    const [facts, flops] = await Promise.all([ask("facts", run), ask("flops", run, params.n)]);
    put({ facts, flops, problem: null });
    return;
  }
  const asked = ask("node", run, params.n);
  asked.catch(() => {}); // told below
  const facts = await ask("facts", run);
  put({ facts });
  const node = await asked;
  node.big_blind = facts.spot?.big_blind ?? null;
  put({ node, problem: null });
  if (view === "diff") {
    const [otherFacts, other] = await Promise.all([ask("facts", params.b), ask("node", params.b, params.n)]);
    other.big_blind = node.big_blind;
    const classes = node.board ? await ask("classes", run, node.board) : null;
    put({ otherFacts, other, classes });
    return;
  }
  await loadRest(run, params, node, put);
}

/** What stands beside the node: the line behind it, classes, next cards, lines. */
async function loadRest(run, params, node, put) {
  const wanted = [];
  // An exported site has not every answer: what stands beside a node may be missing.
  const missing = (error) => {
    if (!isStatic()) throw error;
    return null;
  };
  const want = (name, kind, argument, tidy = (answer) => answer) =>
    wanted.push(
      ask(kind, run, argument)
        .catch(missing)
        .then((answer) => put({ [name]: answer && tidy(answer) })),
    );
  if (params.l && isOnLine(params.n, params.l)) want("line", "node", params.l);
  else put({ line: null });
  if (node.board) want("classes", "classes", node.board);
  else put({ classes: null });
  if (params.tab === "runouts") {
    if (node.board) want("cards", "cards", params.n, withRowPerCard);
    else want("lines", "lines", "");
  }
  await Promise.all(wanted);
}

/** Lists the solutions anew. */
export async function refreshRuns() {
  const marks = await ask("runs", "", "", true);
  set({ runs: marks.runs, marks });
}

/** Asks again for everything, after an error or because a run was replaced. */
export function reload() {
  forget();
  set({ problem: null });
  arrive(state.address);
}

/** Says something for a moment. */
export function say(message) {
  set({ message });
  setTimeout(() => state.message === message && set({ message: "" }), 2500);
}
