// A spot that is being made: what the form has, and the keys of the config that it stands for. Pure.
import { GRID, SUITS, cardsOf, combosOf, handOf } from "./hands.js";
import { toPioText } from "./range_text.js";

export const STREETS = ["flop", "turn", "river"];
export const PLAYERS = ["oop", "ip"];
export const CHIPS_PER_BB = 100;

/** Keys that boxes of their own stand for; all others are kept as they are. */
const IN_FORM = [
  "board",
  "oop",
  "ip",
  "pot",
  "stack",
  "big_blind",
  "bet_sizes",
  "raise_sizes",
  "donk_sizes",
  "max_raises_per_street",
  "rake_rate",
  "rake_cap",
  "target",
  "rivers",
  "precision",
  "locks",
];

const USUAL_SIZES = {
  flop: { bet: "33%, 75%", raise: "3x" },
  turn: { bet: "66%", raise: "3x" },
  river: { bet: "66%", raise: "3x" },
};

/** A draft to begin with: single-raised pot at 100 big blinds, the big blind against the button. */
export function newDraft() {
  const row = () => STREETS.map((street) => [street, { ...USUAL_SIZES[street], donk: "" }]);
  return {
    name: "",
    board: "Td9d6h",
    unit: "bb",
    bigBlind: CHIPS_PER_BB,
    pot: "5",
    stack: "97.5",
    texts: [
      "22-99,A2s-A9s,K6s-KJs,Q8s-QJs,J8s-JTs,T8s+,97s+,86s+,75s+,64s+,54s,A5o-ATo,K9o-KJo,QTo+,JTo",
      "22+,A2s+,K5s+,Q7s+,J8s+,T8s+,97s+,86s+,75s+,65s,54s,A2o+,K9o+,QTo+,JTo",
    ],
    sizes: Object.fromEntries(PLAYERS.map((player) => [player, Object.fromEntries(row())])),
    maxRaises: "2",
    rake: "0",
    rakeCap: "",
    target: "0.5%",
    rivers: "auto",
    precision: "auto",
    locks: [],
    extra: {},
  };
}

const numberOr = (text, otherwise) => {
  const tidy = String(text).trim().replace(",", ".");
  if (tidy === "") return otherwise;
  return Number.isFinite(Number(tidy)) ? Number(tidy) : text;
};

/** A number without the noise of binary fractions. */
const tidy = (value) => (typeof value === "number" ? Number(value.toPrecision(12)) : value);

export const listOf = (text) =>
  text
    .split(/[,;]/)
    .map((size) => size.trim())
    .filter((size) => size);

const byStreet = (draft, what) =>
  Object.fromEntries(
    STREETS.map((street) => [
      street,
      Object.fromEntries(PLAYERS.map((player) => [player, listOf(draft.sizes[player][street][what])])),
    ]),
  );

/** The keys of the config; `way` says how rivers and numbers are kept where the draft says auto. */
export function keysOf(draft, way = { rivers: "exact", precision: 32 }) {
  const scale = draft.unit === "bb" ? draft.bigBlind : 1;
  const money = (text) => {
    const value = numberOr(text, null);
    return typeof value === "number" ? tidy(value * scale) : value;
  };
  const isFlop = cardsOf(draft.board).length === 3;
  const rivers = draft.rivers === "auto" ? way.rivers : draft.rivers;
  const donks = STREETS.map((street) => [street, listOf(draft.sizes.oop[street].donk)]);
  return {
    ...draft.extra,
    board: draft.board,
    oop: draft.texts[0],
    ip: draft.texts[1],
    pot: money(draft.pot),
    stack: money(draft.stack),
    big_blind: draft.unit === "bb" ? draft.bigBlind : null,
    bet_sizes: byStreet(draft, "bet"),
    raise_sizes: byStreet(draft, "raise"),
    donk_sizes: Object.fromEntries(donks),
    max_raises_per_street: numberOr(draft.maxRaises, null),
    rake_rate: tidy(numberOr(String(draft.rake).replace("%", ""), 0) / 100),
    rake_cap: money(draft.rakeCap),
    target: draft.target.trim() || null,
    rivers: isFlop ? rivers : "exact",
    precision: Number(draft.precision === "auto" ? way.precision : draft.precision),
    locks: draft.locks,
  };
}

const sizesAt = (sizes, street, player) => {
  const isMapping = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  let here = sizes;
  for (let depth = 0; depth < 2 && isMapping(here); depth += 1) here = here[street] ?? here[player];
  return Array.isArray(here) ? here.join(", ") : (here ?? "");
};

/** The draft of keys, as a solved spot or a file of another program has them; others are as usual. */
export function draftOf(keys, name = "") {
  const draft = { ...newDraft(), name };
  const inBb = Boolean(keys.big_blind);
  const scale = inBb ? keys.big_blind : 1;
  const money = (value) => (value === null || value === undefined ? "" : String(tidy(value / scale)));
  draft.extra = Object.fromEntries(Object.entries(keys).filter(([key]) => !IN_FORM.includes(key)));
  if ("board" in keys) draft.board = keys.board;
  PLAYERS.forEach((player, i) => player in keys && (draft.texts[i] = String(keys[player])));
  if ("pot" in keys) {
    Object.assign(draft, { unit: inBb ? "bb" : "chips", pot: money(keys.pot), stack: money(keys.stack) });
    if (inBb) draft.bigBlind = keys.big_blind;
  }
  for (const player of PLAYERS) {
    for (const street of STREETS) {
      const box = draft.sizes[player][street];
      if (keys.bet_sizes) box.bet = sizesAt(keys.bet_sizes, street, player);
      if (keys.raise_sizes) box.raise = sizesAt(keys.raise_sizes, street, player);
      if ("donk_sizes" in keys)
        box.donk = keys.donk_sizes === null ? box.bet : sizesAt(keys.donk_sizes, street, player);
    }
  }
  if ("max_raises_per_street" in keys) draft.maxRaises = String(keys.max_raises_per_street ?? "");
  if ("rake_rate" in keys) draft.rake = String(tidy(100 * keys.rake_rate));
  if ("rake_cap" in keys) draft.rakeCap = money(keys.rake_cap);
  if ("target" in keys) draft.target = keys.target === null ? "" : String(keys.target);
  if ("rivers" in keys) draft.rivers = keys.rivers;
  if ("precision" in keys) draft.precision = String(keys.precision);
  if (keys.locks) draft.locks = keys.locks;
  return draft;
}

/** A name for a draft without one: its board, and a number if that is taken. */
export function nameFor(draft, taken) {
  const base = draft.board || "spot";
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (!taken.includes(name)) return name;
  }
}

/** Exact rivers with 32 bits if they fit into three quarters of the free memory, else 16, else compact. */
export function chooseWay(size, isFlop) {
  const room = 0.75 * size.memory_available_bytes;
  if (size.memory_bytes_32 <= room) return { rivers: "exact", precision: 32 };
  if (size.memory_bytes_16 <= room || !isFlop) return { rivers: "exact", precision: 16 };
  return { rivers: "compact", precision: 16 };
}

// Weights: by hand (AKs) where all its combos have one, else by combo (AhKh). None is no weight.

const comboOf = (name) => combosOf(handOf(name)).find((c) => c === name || c === name.slice(2) + name.slice(0, 2));

/** Reads the text that the server writes hand by hand: AA,AKs:0.5,AhKh:0.25. */
export function weightsOfText(pio) {
  const weights = {};
  for (const part of pio.split(",").filter((p) => p)) {
    const [name, weight] = part.split(":");
    weights[name.length === 4 ? comboOf(name) : name] = weight === undefined ? 1 : Number(weight);
  }
  return weights;
}

/** Weights with another one for all combos of a hand. */
export function withHand(weights, hand, weight) {
  const rest = Object.fromEntries(Object.entries(weights).filter(([name]) => handOf(name) !== hand));
  return weight > 0 ? { ...rest, [hand]: weight } : rest;
}

/** Weights with another one for a combo; a hand whose combos are alike again is one entry. */
export function withCombo(weights, combo, weight) {
  const hand = handOf(combo);
  const own = combosOf(hand).map((c) => [c, c === combo ? weight : (weights[c] ?? weights[hand] ?? 0)]);
  const rest = withHand(weights, hand, 0);
  if (own.every(([, value]) => value === own[0][1])) return withHand(rest, hand, own[0][1]);
  return { ...rest, ...Object.fromEntries(own.filter(([, value]) => value > 0)) };
}

/** The mean weight of a hand's combos, or the weight of a combo. */
export function weightOf(weights, name) {
  if (name.length === 4) return weights[name] ?? weights[handOf(name)] ?? 0;
  const combos = combosOf(name);
  return combos.reduce((sum, combo) => sum + weightOf(weights, combo), 0) / combos.length;
}

/** Weights as text. */
export const textOfWeights = (weights) => {
  const names = GRID.flat().flatMap((hand) => (hand in weights ? [hand] : combosOf(hand)));
  return toPioText(new Map(names.map((name) => [name, weights[name] ?? 0])));
};

export const numCombos = (weights) =>
  Object.entries(weights).reduce(
    (sum, [name, weight]) => sum + weight * (name.length === 4 ? 1 : combosOf(name).length),
    0,
  );

export const TEXTURES = {
  any: () => true,
  rainbow: (cards) => new Set(cards.map((card) => card[1])).size === 3,
  "two-tone": (cards) => new Set(cards.map((card) => card[1])).size === 2,
  monotone: (cards) => new Set(cards.map((card) => card[1])).size === 1,
  paired: (cards) => new Set(cards.map((card) => card[0])).size < 3,
  "ace high": (cards) => cards.some((card) => card[0] === "A"),
  connected: (cards) => {
    const ranks = cards.map((card) => "23456789TJQKA".indexOf(card[0])).sort((a, b) => a - b);
    return ranks[2] - ranks[0] <= 4 && new Set(ranks).size === 3;
  },
};

/** A random flop of a texture; `random` gives 0 to 1. */
export function randomFlop(texture, random = Math.random) {
  const deck = [..."AKQJT98765432"].flatMap((rank) => [...SUITS].map((suit) => rank + suit));
  for (;;) {
    const cards = [0, 1, 2].map(() => deck[Math.floor(random() * deck.length)]);
    if (new Set(cards).size === 3 && TEXTURES[texture](cards))
      return cards.sort((a, b) => deck.indexOf(a) - deck.indexOf(b)).join("");
  }
}

/** The board with a card more or less; at most five. */
export function toggledCard(board, card) {
  const cards = cardsOf(board);
  if (cards.includes(card)) return cards.filter((c) => c !== card).join("");
  return cards.length < 5 ? board + card : board;
}

/**
 * Seconds left of a solve: the last points of its curve as a line in logarithms.
 *
 * @param curve [iterations, exploitability] each
 * @param target exploitability at which it ends
 * @returns [few, many] seconds; null as long as that means nothing
 */
export function timeLeft(curve, seconds, iteration, target) {
  const points = curve.filter(([n, e]) => n > 0 && e > 0).slice(-4);
  if (!target || points.length < 3 || iteration <= 0) return null;
  const [xs, ys] = [points.map(([n]) => Math.log(n)), points.map(([, e]) => Math.log(e))];
  const slopes = xs.slice(1).map((x, i) => (ys[i + 1] - ys[i]) / (x - xs[i]));
  const [mildest, steepest] = [Math.max(...slopes), Math.min(...slopes)];
  if (mildest > -0.2) return null;
  const [lastX, lastY] = [xs.at(-1), ys.at(-1)];
  const secondsAt = (slope) => {
    const needed = Math.exp(lastX + Math.max(0, lastY - Math.log(target)) / -slope);
    return Math.max(0, ((needed - iteration) * seconds) / iteration);
  };
  return [secondsAt(steepest), secondsAt(mildest)];
}
