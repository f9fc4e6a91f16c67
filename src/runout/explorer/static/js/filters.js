// Which part of a range is looked at: by action, hand class, suit and equity. Pure.
import { splitList } from "./url_state.js";

/** Reads the filters of an address. */
export function filtersOf(params) {
  const [low, high] = (params.q || "").split("-").map(Number);
  return {
    actions: splitList(params.a),
    include: splitList(params.f),
    exclude: splitList(params.x),
    suits: params.s || "",
    equity: params.q && high > low ? [low / 100, high / 100] : null,
  };
}

/** Whether anything is filtered. */
export function hasFilters(filters) {
  return Boolean(
    filters.actions.length ||
    filters.include.length ||
    filters.exclude.length ||
    filters.suits ||
    filters.equity,
  );
}

/** What an address has without any filter. */
export const CLEARED = { a: "", f: "", x: "", s: "", q: "" };

/**
 * By column, how much of it passes: 0 or 1, or for actions how often it takes one of them.
 *
 * @param node the JSON of a node
 * @param player whose columns
 * @param filters as `filtersOf` reads them
 * @param classes the JSON of its hand classes, null where there are none
 */
export function factorsOf(node, player, filters, classes) {
  if (!hasFilters(filters)) return null;
  const chosen =
    node.actor === player ? node.actions.filter((action) => isChosen(action, filters.actions)) : [];
  const isCombos = node.hand_space === "combos";
  return node.hands[player].map((name, column) => {
    if (isCombos && !passesSuits(name, filters.suits)) return 0;
    if (!passesEquity(node.equity[player][column], filters.equity)) return 0;
    if (classes && !passesClasses(classes, player, column, filters)) return 0;
    if (!chosen.length) return 1;
    return chosen.reduce((sum, action) => sum + (action.strategy[column] || 0), 0);
  });
}

// A group of sizes is asked for by any of the codes it is made of.
const isChosen = (action, codes) =>
  codes.some((code) => action.code === code || action.code.split("+").includes(code));

const passesSuits = (combo, suits) => !suits || (suits.includes(combo[1]) && suits.includes(combo[3]));

const passesEquity = (equity, band) =>
  !band || (equity !== null && equity >= band[0] && (equity < band[1] || band[1] >= 1));

function passesClasses(classes, player, column, { include, exclude }) {
  const isIn = (name) => hasClass(classes, player, column, name);
  if (include.length && !include.some(isIn)) return false;
  return !exclude.some(isIn);
}

/** Whether a column is in a class: its made hand, or one of its draws. */
export function hasClass(classes, player, column, name) {
  const made = classes.made_names.indexOf(name);
  if (made >= 0) return classes.made[player][column] === made;
  const draw = classes.draw_names.indexOf(name);
  if (draw >= 0) return Boolean((classes.draws[player][column] >> draw) & 1);
  return name === "no-draw" && classes.draws[player][column] === 0;
}
