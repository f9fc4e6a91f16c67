// What is shown of a node, from the columns of its JSON. Pure.
//
// A column is a combo, or before the flop a hand. Columns count by the deals in which they are
// held: their weight, times the combos they stand for, times what they can meet.
import { NUM_HANDS, cellOf, combosOf, handOf, liveCombos, nameOfCell } from "./hands.js";
import { isKnown } from "./format.js";

/** Calls a function anew only if its arguments are others than last time. */
export function remember(compute) {
  let last = null;
  let value;
  return (...args) => {
    if (!last || last.length !== args.length || args.some((arg, i) => arg !== last[i])) {
      [last, value] = [args, compute(...args)];
    }
    return value;
  };
}

const cellsByNode = new WeakMap();

/** The cell of each column of a player. */
export function cellsOf(node, player) {
  if (!cellsByNode.has(node)) {
    cellsByNode.set(
      node,
      node.hands.map((names) => names.map((name) => cellOf(handOf(name)))),
    );
  }
  return cellsByNode.get(node)[player];
}

const COMBOS_PER_CELL = Array.from({ length: NUM_HANDS }, (_, cell) => combosOf(nameOfCell(cell)).length);

/** How many combos each column stands for. */
export function combosPerColumn(node, player) {
  const isHands = node.hand_space === "hands";
  return cellsOf(node, player).map((cell) => (isHands ? COMBOS_PER_CELL[cell] : 1));
}

/** Whose hands are shown: the one asked for, or who acts, or the first. */
export function shownPlayer(node, asked) {
  if (asked === "0" || asked === "1") return Number(asked);
  return node.actor ?? 0;
}

/** The weight of the deals in which each column is held, and the combos, both after filters. */
export function heldBy(node, player, factors) {
  const perColumn = combosPerColumn(node, player);
  const combos = node.weights[player].map((weight, i) => weight * perColumn[i] * (factors ? factors[i] : 1));
  return { combos, deals: combos.map((count, i) => count * node.met[player][i]) };
}

/** The mean of values that exist, null if nothing has a weight. */
export function mean(values, weights) {
  let [total, sum] = [0, 0];
  for (let i = 0; i < values.length; i += 1) {
    if (isKnown(values[i]) && weights[i] > 0) {
      total += weights[i];
      sum += weights[i] * values[i];
    }
  }
  return total > 0 ? sum / total : null;
}

/**
 * The 169 cells of a player: null where a hand cannot be held, else its mean weight (reach), combos,
 * frequencies of actions, EV, equity, EQR and EVs of actions.
 */
export function gridOf(node, player, factors = null) {
  const cells = cellsOf(node, player);
  const { combos, deals } = heldBy(node, player, factors);
  const live = liveCombos(node.board);
  const groups = Array.from({ length: NUM_HANDS }, () => []);
  cells.forEach((cell, i) => groups[cell].push(i));
  return groups.map((columns, cell) => {
    if (!columns.length) return null;
    const pick = (values) =>
      mean(
        columns.map((i) => values[i]),
        columns.map((i) => deals[i]),
      );
    const count = columns.reduce((sum, i) => sum + combos[i], 0);
    const isActor = player === node.actor;
    const [ev, equity] = [pick(node.ev[player]), pick(node.equity[player])];
    return {
      name: nameOfCell(cell),
      columns,
      combos: count,
      reach: live[cell] ? count / live[cell] : 0,
      arrives: columns.some((i) => node.weights[player][i] > 0),
      frequencies: isActor ? node.actions.map((action) => pick(action.strategy)) : [],
      actionEvs: isActor ? node.actions.map((action) => pick(action.evs)) : [],
      ev,
      equity,
      eqr: realized(ev, equity, node.pot),
    };
  });
}

/** Known EVs of the cells that are there, rising. */
export const sortedEvs = (grid) =>
  grid
    .filter((cell) => cell && cell.combos > 0 && isKnown(cell.ev))
    .map((cell) => cell.ev)
    .sort((a, b) => a - b);

const FEW = 0.3;

/** Whether bars fill their cells: as asked, else where most hands hardly get here. */
export function isFilled(grid, asked) {
  if (asked) return asked === "fill";
  const reaches = grid.filter((cell) => cell && cell.combos > 0).map((cell) => cell.reach);
  return reaches.length > 0 && reaches.sort((a, b) => a - b)[Math.floor(reaches.length / 2)] < FEW;
}

/** A node in which hands only take the chosen actions, in the proportions in which they do. */
export function onlyActions(node, codes) {
  const isChosen = node.actions.map((action) => action.code.split("+").some((code) => codes.includes(code)));
  if (!isChosen.includes(true)) return node;
  const taken = node.actions[0].strategy.map((_, i) =>
    node.actions.reduce((sum, action, k) => sum + (isChosen[k] ? action.strategy[i] || 0 : 0), 0),
  );
  const actions = node.actions.map((action, k) => ({
    ...action,
    strategy: action.strategy.map((share, i) => (taken[i] > 0 ? (isChosen[k] ? (share || 0) / taken[i] : 0) : null)),
  }));
  return { ...node, actions };
}

/** What the actor's hands give up on average by what they play; small where play is well learned. */
export function meanLoss(node) {
  if (node.actor === null || node.actor === undefined) return null;
  const { deals } = heldBy(node, node.actor, null);
  const losses = deals.map((_, i) => lossOf(node, i));
  return mean(losses, deals);
}

/** What is got of what equity would give; null where that is unknown. */
export function realized(ev, equity, pot) {
  return isKnown(ev) && isKnown(equity) && equity > 0 ? ev / (pot * equity) : null;
}

/** Totals of a player after filters: combos, share of its range, EV, equity, EQR, and of actions. */
export function totalsOf(node, player, factors = null) {
  const { combos, deals } = heldBy(node, player, factors);
  const all = heldBy(node, player, null);
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const [ev, equity] = [mean(node.ev[player], deals), mean(node.equity[player], deals)];
  return {
    combos: sum(combos),
    share: sum(all.deals) > 0 ? sum(deals) / sum(all.deals) : 0,
    ev,
    equity,
    eqr: realized(ev, equity, node.pot),
    actions:
      player !== node.actor
        ? []
        : node.actions.map((action) => ({
            frequency: mean(action.strategy, deals),
            combos: sum(action.strategy.map((share, i) => (share || 0) * combos[i])),
            ev: mean(
              action.evs,
              deals.map((deal, i) => deal * (action.strategy[i] || 0)),
            ),
          })),
  };
}

/** Of a column: the best action's EV, what the strategy gets, and what it gives up. */
export function lossOf(node, column) {
  const evs = node.actions.map((action) => action.evs[column]).filter(isKnown);
  if (!evs.length) return null;
  const best = Math.max(...evs);
  const played = node.actions.reduce(
    (sum, action) => sum + (action.strategy[column] || 0) * (action.evs[column] ?? 0),
    0,
  );
  return Math.max(0, best - played);
}

/** How far the two best actions of a column are apart; null if there are not two. */
export function gapOf(node, column) {
  const evs = node.actions
    .map((action) => action.evs[column])
    .filter(isKnown)
    .sort((a, b) => b - a);
  return evs.length < 2 ? null : evs[0] - evs[1];
}

/** By cell: the share of its deals whose two best actions are at most so far apart. */
export function indifference(node, epsilon) {
  const { deals } = heldBy(node, node.actor, null);
  const near = Array(NUM_HANDS).fill(0);
  const total = Array(NUM_HANDS).fill(0);
  cellsOf(node, node.actor).forEach((cell, i) => {
    const gap = gapOf(node, i);
    if (gap === null || !(deals[i] > 0)) return;
    total[cell] += deals[i];
    if (gap <= epsilon) near[cell] += deals[i];
  });
  return total.map((sum, cell) => (sum > 0 ? near[cell] / sum : null));
}

/** By cell: the mean of one action's EV minus another's. */
export function compareActions(node, first, second) {
  const [a, b] = [first, second].map((code) => node.actions.find((action) => action.code === code));
  if (!a || !b) return Array(NUM_HANDS).fill(null);
  const { deals } = heldBy(node, node.actor, null);
  const differences = a.evs.map((ev, i) => (isKnown(ev) && isKnown(b.evs[i]) ? ev - b.evs[i] : null));
  const groups = Array.from({ length: NUM_HANDS }, () => [[], []]);
  cellsOf(node, node.actor).forEach((cell, i) => {
    groups[cell][0].push(differences[i]);
    groups[cell][1].push(deals[i]);
  });
  return groups.map(([values, weights]) => mean(values, weights));
}

/** Actions with all bets, and all raises, as one each; others as they are. */
export function groupSizes(node) {
  if (!node.actions.length) return node;
  const groups = [];
  for (const action of node.actions) {
    const kind = ["bet", "raise", "all_in"].includes(action.kind) ? "bet" : action.kind;
    const group = groups.find((other) => other.kind === kind);
    if (group) group.members.push(action);
    else groups.push({ kind, members: [action] });
  }
  const actions = groups.map(({ kind, members }) =>
    members.length === 1 ? members[0] : merge(kind, members, node),
  );
  return { ...node, actions };
}

function merge(kind, members, node) {
  const add = (pick) => members.map(pick).reduce((a, b) => a + (b || 0), 0);
  const strategy = members[0].strategy.map((_, i) =>
    members.every((action) => !isKnown(action.strategy[i])) ? null : add((action) => action.strategy[i]),
  );
  const evs = strategy.map((share, i) =>
    share > 0
      ? add((action) => (action.strategy[i] || 0) * (action.evs[i] ?? 0)) / share
      : mean(
          members.map((action) => action.evs[i]),
          members.map(() => 1),
        ),
  );
  const isRaise =
    members.some((action) => action.kind === "raise") || node.actions.some((a) => a.kind === "fold");
  const taken = add((action) => action.frequency);
  return {
    code: members.map((action) => action.code).join("+"),
    label: isRaise ? "any raise" : "any bet",
    kind,
    amount: Math.min(...members.map((action) => action.amount)),
    frequency: taken,
    combos: add((action) => action.combos),
    ev: taken > 0 ? add((action) => (action.frequency || 0) * (action.ev ?? 0)) / taken : null,
    strategy,
    evs,
  };
}
