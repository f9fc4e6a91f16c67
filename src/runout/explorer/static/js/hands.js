// Hands and cards as text: the 13x13 grid, combos and their classes. Pure.

export const RANKS = "AKQJT98765432";
export const SUITS = "cdhs";
export const SUIT_SIGNS = { c: "\u2663", d: "\u2666", h: "\u2665", s: "\u2660" };
export const SUIT_NAMES = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
export const NUM_HANDS = 169;

/** Names of the grid's cells by row and column: suited above the diagonal. */
export const GRID = [...RANKS].map((row, r) =>
  [...RANKS].map((column, c) => {
    if (r === c) return row + row;
    return c > r ? `${row}${column}s` : `${column}${row}o`;
  }),
);

const CELL_BY_NAME = new Map(GRID.flat().map((name, index) => [name, index]));

/** The number of a hand's cell, row by row, or undefined if there is no such hand. */
export function cellOf(name) {
  return CELL_BY_NAME.get(name);
}

/** The name of a cell's hand. */
export function nameOfCell(cell) {
  return GRID[Math.floor(cell / 13)][cell % 13];
}

/** The hand of a combo: AhKh is AKs; a hand is its own. */
export function handOf(name) {
  if (name.length < 4) return name;
  const [a, s, b, t] = name;
  if (a === b) return a + b;
  const [high, low] = RANKS.indexOf(a) < RANKS.indexOf(b) ? [a, b] : [b, a];
  return high + low + (s === t ? "s" : "o");
}

/** All combos of a hand, as text with the higher card first. */
export function combosOf(hand) {
  const [a, b] = hand;
  const combos = [];
  const suits = [...SUITS].reverse();
  for (const [i, s] of suits.entries()) {
    for (const [j, t] of suits.entries()) {
      const isIn = a === b ? j > i : hand[2] === "s" ? i === j : i !== j;
      if (isIn) combos.push(a + s + b + t);
    }
  }
  return combos;
}

/** The cards of a text such as Td9d6h. */
export function cardsOf(text) {
  return (text || "").match(/../g) || [];
}

/** How many combos of each cell the board leaves. */
export function liveCombos(board) {
  const dead = new Set(cardsOf(board));
  return GRID.flat().map(
    (hand) =>
      combosOf(hand).filter((combo) => !dead.has(combo.slice(0, 2)) && !dead.has(combo.slice(2))).length,
  );
}

const PERMUTATIONS = [...SUITS].flatMap((a) =>
  [...SUITS].flatMap((b) =>
    [...SUITS].flatMap((c) =>
      [...SUITS].map((d) => a + b + c + d).filter((suits) => new Set(suits).size === 4),
    ),
  ),
);

/** Whether two boards differ by the names of suits and the order of cards only. */
export function areAlike(first, second) {
  const wanted = cardsOf(first).toSorted().join();
  return PERMUTATIONS.some((suits) => {
    const renamed = cardsOf(second).map((card) => card[0] + suits[SUITS.indexOf(card[1])]);
    return renamed.toSorted().join() === wanted;
  });
}

/** A card with its sign: T and a diamond. */
export function prettyCard(card) {
  return card[0] + SUIT_SIGNS[card[1]];
}

/** A text such as Td9d6h with signs. */
export function prettyCards(text) {
  return cardsOf(text).map(prettyCard).join(" ");
}
