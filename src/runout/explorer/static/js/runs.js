// The list of solutions: which are shown, in which order. Pure.

/** The folder and the name of a solution. */
export function splitName(name) {
  const end = name.lastIndexOf("/");
  return end < 0 ? ["", name] : [name.slice(0, end), name.slice(end + 1)];
}

const ORDERS = {
  name: (a, b) => a.name.localeCompare(b.name),
  date: (a, b) => b.date.localeCompare(a.date),
  size: (a, b) => b.size_bytes - a.size_bytes,
  quality: (a, b) => exploitability(a) - exploitability(b),
};

// Shares of the pot and thousandths of a big blind are apart; what was not measured comes last.
const exploitability = ({ quality }) =>
  quality ? quality.exploitability + (quality.unit === "pot" ? 0 : 1e6) : Infinity;

/** Solutions whose name, title or tags have all words of a text, of a kind, in an order. */
export function matchingRuns(runs, tags, { text = "", kind = "", sort = "name" }) {
  const words = text.toLowerCase().split(/\s+/).filter((word) => word);
  const has = (run) => `${run.name} ${run.title} ${(tags[run.id] || []).join(" ")}`.toLowerCase();
  const found = runs.filter((run) => (!kind || run.kind === kind) && words.every((word) => has(run).includes(word)));
  return found.sort(ORDERS[sort]);
}
