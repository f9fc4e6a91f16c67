// A range as the text that other programs read. Pure.
import { GRID, RANKS, combosOf, handOf } from "./hands.js";
import { heldBy, combosPerColumn } from "./node_math.js";

const SMALLEST = 0.0005;

/** By name, the weight of each column after filters; the largest of them is at most 1. */
export function weightsOf(node, player, factors = null) {
  const perColumn = combosPerColumn(node, player);
  const { combos } = heldBy(node, player, factors);
  return new Map(node.hands[player].map((name, i) => [name, combos[i] / perColumn[i]]));
}

const rounded = (weight) => Math.round(weight * 1000) / 1000;

/** By hand the one weight of all its combos, null where they differ. */
function commonWeights(weights, live) {
  const found = new Map();
  for (const hand of GRID.flat()) {
    if (weights.has(hand)) {
      found.set(hand, rounded(weights.get(hand)));
      continue;
    }
    const own = combosOf(hand).filter(live);
    const values = own.map((combo) => rounded(weights.get(combo) ?? 0));
    if (!values.length) continue;
    found.set(hand, values.every((value) => value === values[0]) ? values[0] : null);
  }
  return found;
}

function parts(weights, board) {
  const dead = new Set((board || "").match(/../g) || []);
  const live = (combo) => !dead.has(combo.slice(0, 2)) && !dead.has(combo.slice(2));
  const common = commonWeights(weights, live);
  const whole = [...common].filter(([, weight]) => weight !== null && weight > SMALLEST);
  const single = [...weights].filter(
    ([name, weight]) => name.length === 4 && common.get(handOf(name)) === null && rounded(weight) > SMALLEST,
  );
  return [...joinRuns(whole), ...single.map(([name, weight]) => [name, rounded(weight)])];
}

/** Neighbouring hands of one weight as one text: AA-TT, A5s-A2s. */
function joinRuns(whole) {
  const weightOf = new Map(whole);
  const runs = [];
  for (const family of families()) {
    let run = [];
    const close = () => {
      if (run.length) runs.push([run.length > 1 ? `${run[0]}-${run.at(-1)}` : run[0], weightOf.get(run[0])]);
      run = [];
    };
    for (const hand of family) {
      const weight = weightOf.get(hand);
      if (weight === undefined || (run.length && weight !== weightOf.get(run[0]))) close();
      if (weight !== undefined) run.push(hand);
    }
    close();
  }
  return runs;
}

/** Hands that a dash can join, highest first: pairs, then by high card suited and offsuit. */
function families() {
  const ranks = [...RANKS];
  const below = (high, i, end) => ranks.slice(i + 1).map((low) => high + low + end);
  return [
    ranks.map((rank) => rank + rank),
    ...ranks.map((high, i) => below(high, i, "s")),
    ...ranks.map((high, i) => below(high, i, "o")),
  ];
}

/** As PioSOLVER and this program read it: AA-TT,AKs:0.5. */
export function toPioText(weights, board = "") {
  return parts(weights, board)
    .map(([name, weight]) => (weight === 1 ? name : `${name}:${weight}`))
    .join(",");
}

/** As GTO+ reads it: AA-TT,[50]AKs[/50]. */
export function toGtoPlusText(weights, board = "") {
  return parts(weights, board)
    .map(([name, weight]) => {
      const share = rounded(100 * weight);
      return weight === 1 ? name : `[${share}]${name}[/${share}]`;
    })
    .join(",");
}
