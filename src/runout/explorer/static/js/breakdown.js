// A range cut into hand classes or equity bands, with what each part does. Pure.
import { hasClass } from "./filters.js";
import { heldBy, mean } from "./node_math.js";

export const NUM_BANDS = 10;

/** Rows of made hands, best first, that anybody holds. */
export function madeRows(node, player, classes, factors) {
  const names = [...classes.made_names].reverse();
  return rowsOf(
    node,
    player,
    factors,
    names.map((name) => [name, (i) => hasClass(classes, player, i, name)]),
  );
}

/** Rows of draws; a hand can be in several. */
export function drawRows(node, player, classes, factors) {
  const names = [...classes.draw_names, "no-draw"];
  return rowsOf(
    node,
    player,
    factors,
    names.map((name) => [name, (i) => hasClass(classes, player, i, name)]),
  );
}

/** Rows of equity, from high to low. */
export function bandRows(node, player, factors) {
  const bands = Array.from({ length: NUM_BANDS }, (_, band) => NUM_BANDS - 1 - band);
  const isIn = (band) => (i) => {
    const equity = node.equity[player][i];
    return equity !== null && Math.min(NUM_BANDS - 1, Math.floor(equity * NUM_BANDS)) === band;
  };
  return rowsOf(
    node,
    player,
    factors,
    bands.map((band) => [`${10 * band}-${10 * (band + 1)}`, isIn(band)]),
  );
}

function rowsOf(node, player, factors, parts) {
  const { combos, deals } = heldBy(node, player, factors);
  const total = deals.reduce((a, b) => a + b, 0);
  return parts
    .map(([name, isIn]) => {
      const inside = deals.map((deal, i) => (isIn(i) ? deal : 0));
      const weight = inside.reduce((a, b) => a + b, 0);
      return {
        name,
        combos: combos.reduce((sum, count, i) => sum + (isIn(i) ? count : 0), 0),
        share: total > 0 ? weight / total : 0,
        equity: mean(node.equity[player], inside),
        ev: mean(node.ev[player], inside),
        frequencies: player === node.actor ? node.actions.map((action) => mean(action.strategy, inside)) : [],
      };
    })
    .filter((row) => row.combos > 0.0005);
}
