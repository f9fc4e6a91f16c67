// Keys of the whole page; those of the matrix are its own.
import { CLEARED } from "./filters.js";
import { drillKey } from "./pages/drill.js";
import { copy } from "./clipboard.js";
import { lastStep, parentOf } from "./paths.js";
import { switchUnit } from "./parts/matrix_bar.js";
import { change, goToNode, set, state } from "./store.js";

export const TABS = ["hands", "ranges", "breakdown", "runouts", "trust"];

export function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    escape(event);
    return;
  }
  if (event.key === "Tab" && state.overlay) {
    stayInside(event);
    return;
  }
  const isTyping = ["INPUT", "TEXTAREA", "SELECT"].includes(event.target.tagName);
  if (isTyping || state.overlay || !state.node) {
    if (event.key === "?" && !isTyping) set({ overlay: "help" });
    return;
  }
  const isDrill = state.address.view === "drill";
  const action = isDrill ? drillActionOf(event) : actionOf(event);
  if (!action) return;
  event.preventDefault();
  action();
}

// The keyboard goes round in a dialog until it is closed.
function stayInside(event) {
  const places = [...document.querySelectorAll(".dialog button, .dialog input")];
  const [from, to] = event.shiftKey ? [places[0], places.at(-1)] : [places.at(-1), places[0]];
  if (document.activeElement !== from) return;
  event.preventDefault();
  to.focus();
}

function escape(event) {
  if (state.overlay) set({ overlay: null });
  else if (state.address.params.h) change({ h: "" }, true);
  else return;
  event.preventDefault();
}

const drillActionOf = (event) => (event.key === "?" ? () => set({ overlay: "help" }) : drillKey(event));

function actionOf(event) {
  const { params } = state.address;
  if (/^[1-5]$/.test(event.key)) return () => change({ tab: TABS[Number(event.key) - 1] });
  // On a button outside of the matrix the space bar presses the button.
  const isOnButton = event.target.tagName === "BUTTON" && !event.target.dataset.hand;
  switch (event.key) {
    case "Backspace":
      return () => params.n && goToNode(parentOf(params.n));
    case "[":
      return () => toSibling(-1);
    case "]":
      return () => toSibling(1);
    case " ":
      return isOnButton ? null : switchUnit;
    case "?":
      return () => set({ overlay: "help" });
    default:
      return LETTERS[event.key.toLowerCase()];
  }
}

const LETTERS = {
  j: () => set({ overlay: "jump" }),
  p: () => change(CLEARED, true),
  s: () => change({ g: state.address.params.g ? "" : "1", a: "" }, true),
  w: () => change({ w: state.address.params.w ? "" : "1" }, true),
  y: () => copy(location.href),
};

/** Another action, or card, of the place before. */
function toSibling(step) {
  const { node, cards } = state;
  const before = node.trail.at(-1);
  if (!before) return;
  const steps = before.actions.length
    ? before.actions.map((action) => action.code)
    : (cards?.rows || []).map((row) => row.card);
  const index = steps.indexOf(lastStep(node.path));
  if (index < 0 || steps.length < 2) return;
  const next = steps[(index + step + steps.length) % steps.length];
  goToNode(node.path.slice(0, node.path.length - lastStep(node.path).length) + next);
}
