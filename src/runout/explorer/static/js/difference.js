// Two solutions of the same node: what moved. Pure.
import { gridOf, heldBy } from "./node_math.js";
import { isKnown } from "./format.js";

/** Codes that both nodes have, in the order of the first. */
export function commonActions(first, second) {
  return first.actions.filter((action) => second.actions.some((other) => other.code === action.code));
}

/** By cell: second minus first, of an action's frequency or of EV (a code, or "ev"). */
export function differenceGrid(first, second, player, what) {
  const [a, b] = [gridOf(first, player), gridOf(second, player)];
  const pick = (node, cell) => {
    if (!cell || !(cell.combos > 0)) return null;
    if (what === "ev") return cell.ev;
    const index = node.actions.findIndex((action) => action.code === what);
    return index < 0 || player !== node.actor ? null : cell.frequencies[index];
  };
  return a.map((cell, i) => {
    const [x, y] = [pick(first, cell), pick(second, b[i])];
    return isKnown(x) && isKnown(y) ? y - x : null;
  });
}

/** The share of the first range that does something else in the second, null if nothing compares. */
export function moved(first, second) {
  if (first.actor === null || first.actor !== second.actor) return null;
  const { deals } = heldBy(first, first.actor, null);
  const column = new Map(second.hands[second.actor].map((name, i) => [name, i]));
  let [sum, weight] = [0, 0];
  first.hands[first.actor].forEach((name, i) => {
    const j = column.get(name);
    if (j === undefined || !(deals[i] > 0)) return;
    const codes = new Set([...first.actions, ...second.actions].map((action) => action.code));
    let distance = 0;
    for (const code of codes) {
      const at = (node, k) => node.actions.find((action) => action.code === code)?.strategy[k] || 0;
      distance += Math.abs(at(first, i) - at(second, j)) / 2;
    }
    sum += deals[i] * distance;
    weight += deals[i];
  });
  return weight > 0 ? sum / weight : null;
}

/** Rows of hand classes with what changes: frequency of an action, or EV. */
export function classChanges(before, after, rowsOf, what) {
  const pick = (node, row) =>
    what === "ev" ? row.ev : row.frequencies[node.actions.findIndex((action) => action.code === what)];
  const others = new Map(rowsOf(after).map((row) => [row.name, row]));
  return rowsOf(before)
    .filter((row) => others.has(row.name))
    .map((row) => ({
      name: row.name,
      combos: row.combos,
      before: pick(before, row) ?? null,
      after: pick(after, others.get(row.name)) ?? null,
    }));
}
