// Hands dealt at the frequencies of a node, answers graded by EV lost, what was missed comes again. Pure.
import { cardsOf, combosOf, SUITS } from "./hands.js";
import { isKnown } from "./format.js";

/** Losses below this share of the pot are no mistakes: the solution itself is no better. */
export const FREE_LOSS = 0.002;
/** An action that is taken at least so often is part of the solution. */
export const MIXED = 0.05;
const BOXES = 5;

/** The index of a weight drawn at random; -1 if all are 0. */
export function draw(weights, random) {
  const total = weights.reduce((sum, weight) => sum + (weight || 0), 0);
  if (!(total > 0)) return -1;
  let rest = random() * total;
  for (let i = 0; i < weights.length; i += 1) {
    rest -= weights[i] || 0;
    if (rest < 0) return i;
  }
  return weights.findLastIndex((weight) => weight > 0);
}

const meets = (first, second) => !cardsOf(first).some((card) => cardsOf(second).includes(card));

/** The combos of a player with their weights; hands before the flop become combos. */
function combosAt(node, player) {
  const dead = node.board || "";
  return node.hands[player].flatMap((name, column) =>
    (name.length === 4 ? [name] : combosOf(name))
      .filter((combo) => meets(combo, dead))
      .map((combo) => ({ combo, column, weight: node.weights[player][column], met: node.met[player][column] })),
  );
}

/** A combo for each player, as often as they are held together; null if they never are. */
export function deal(node, hero, random) {
  const mine = combosAt(node, hero);
  const chosen = mine[draw(mine.map(({ weight, met }) => weight * met), random)];
  if (!chosen) return null;
  const theirs = combosAt(node, 1 - hero).filter(({ combo }) => meets(combo, chosen.combo));
  const other = theirs[draw(theirs.map(({ weight }) => weight), random)];
  if (!other) return null;
  const held = [];
  [held[hero], held[1 - hero]] = [chosen.combo, other.combo];
  return held;
}

/** The column of a combo at a node, undefined if it cannot be held. */
export function columnOf(node, player, combo) {
  const swapped = combo.slice(2) + combo.slice(0, 2);
  const found = node.hands[player].findIndex(
    (name) => name === combo || name === swapped || (name.length < 4 && combosOf(name).some((c) => c === combo)),
  );
  return found < 0 ? undefined : found;
}

/** What the solution does with a combo: the index of an action, drawn by its mix. */
export function playOf(node, combo, random) {
  const column = columnOf(node, node.actor, combo);
  const shares = node.actions.map((action) => (column === undefined ? 1 : action.strategy[column] || 0));
  return Math.max(0, draw(shares, random));
}

/** A card that may come and that nobody holds. */
export function cardOf(node, held, random) {
  const free = node.cards.filter((card) => !held.some((combo) => cardsOf(combo).includes(card)));
  return free[Math.floor(random() * free.length)];
}

/** What an answer loses against the best action; mixed actions are never wrong. */
export function grade(node, combo, action) {
  const column = columnOf(node, node.actor, combo);
  const evs = node.actions.map(({ evs: values }) => values[column]);
  const best = evs.reduce((top, ev, i) => (isKnown(ev) && (top < 0 || ev > evs[top]) ? i : top), -1);
  const lost = best < 0 || !isKnown(evs[action]) ? 0 : evs[best] - evs[action];
  const played = node.actions.map(({ strategy }) => strategy[column] || 0);
  const lostPot = lost / node.pot;
  return { action, best, lost, lostPot, played, evs, isMistake: lostPot > FREE_LOSS && played[action] < MIXED };
}

/** Suits by suits in a random order: boards are learned by ranks and texture. */
export function shuffledSuits(random) {
  const rest = [...SUITS];
  return Object.fromEntries([...SUITS].map((suit) => [suit, rest.splice(Math.floor(random() * rest.length), 1)[0]]));
}

export const inSuits = (text, suits) => cardsOf(text).map((card) => card[0] + suits[card[1]]);

/** Remembers an answer: what was missed comes again after 2, 4, 8, 16 and 32 others. */
export function noted({ count, missed }, key, isMistake) {
  const number = count + 1;
  const { [key]: known, ...others } = missed;
  const box = isMistake ? 0 : known ? known[0] + 1 : BOXES;
  return { count: number, missed: box < BOXES ? { ...others, [key]: [box, number + 2 ** (box + 1)] } : others };
}

/** The first decision of a solution that is due: its path and combo. */
export function nextDue({ count, missed }, run) {
  for (const [key, [, due]] of Object.entries(missed)) {
    const [name, path, combo] = key.split("|");
    if (name === run && due <= count) return { path, combo };
  }
  return null;
}

/** What answers lose by a key, the worst first. */
export function leaks(history, keyOf) {
  const rows = new Map();
  for (const answer of history) {
    const name = keyOf(answer);
    if (!name) continue;
    const row = rows.get(name) || { name, count: 0, mistakes: 0, lost: 0 };
    rows.set(name, {
      ...row,
      count: row.count + 1,
      mistakes: row.mistakes + Number(answer.isMistake),
      lost: row.lost + answer.lostPot,
    });
  }
  return [...rows.values()].sort((a, b) => b.lost / b.count - a.lost / a.count);
}
