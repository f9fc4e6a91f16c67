// Paths of nodes, as the command line writes them: r2:c:Td9d6h:x:b59. Pure.

/** Whether a step deals cards. */
export const isCards = (step) => /^([2-9TJQKA][cdhs])+$/.test(step);

/** The steps of a path; an r:0 at the beginning is none. */
export function stepsOf(path) {
  const steps = (path || "").split(/[:-]/).filter((step) => step);
  return steps[0] === "r" && steps[1] === "0" ? steps.slice(2) : steps;
}

/** The path that one more step leads to. */
export function joinPath(path, step) {
  return path ? `${path}:${step}` : step;
}

/** The path without its last step. */
export function parentOf(path) {
  const end = Math.max(path.lastIndexOf(":"), path.lastIndexOf("-"));
  return end < 0 ? "" : path.slice(0, end);
}

/** Whether the second path is the first, or goes on from there. */
export function isOnLine(path, line) {
  const [short, long] = [stepsOf(path), stepsOf(line)];
  return short.length <= long.length && short.every((step, i) => step === long[i]);
}

/** The step after a node on a line, or an empty text. */
export function nextStep(path, line) {
  return isOnLine(path, line) ? stepsOf(line)[stepsOf(path).length] || "" : "";
}

/** The last step of a path. */
export function lastStep(path) {
  return stepsOf(path).at(-1) || "";
}

/** What is known of next cards with a row for each card: cards that differ by suits only share one. */
export function withRowPerCard(answer) {
  const pathOf = (card) => answer.path.replace("CARD", card);
  const rows = answer.rows.flatMap((row) => row.cards.map((card) => ({ ...row, card, path: pathOf(card) })));
  return { ...answer, rows };
}
