// What several parts of the page need of the node that is on: sizes grouped, filters, colours.
import { actionColours } from "./colours.js";
import { factorsOf, filtersOf } from "./filters.js";
import { gridOf, groupSizes, onlyActions, remember, shownPlayer, totalsOf } from "./node_math.js";
import { themeOf } from "./store.js";
import { splitList } from "./url_state.js";

const grouped = remember((node, isGrouped) => (isGrouped ? groupSizes(node) : node));
const factorsFor = remember((node, player, classes, a, f, x, s, q) =>
  factorsOf(node, player, filtersOf({ a, f, x, s, q }), classes),
);
const partFor = remember((node, player, actions) =>
  actions && player === node.actor ? onlyActions(node, splitList(actions)) : node,
);
const gridFor = remember(gridOf);
const totalsFor = remember(totalsOf);
const coloursFor = remember((node, palette, theme) => actionColours(node.actions, palette, theme));

/** Everything about the node that is shown, computed once for all parts. */
export function shownOf(state) {
  const { params } = state.address;
  if (!state.node) return null;
  const node = grouped(state.node, Boolean(params.g));
  const player = shownPlayer(node, params.p);
  const classes = classesFor(state.classes, node);
  const { a, f, x, s, q } = params;
  const factors = factorsFor(node, player, classes, a, f, x, s, q);
  const theme = themeOf(state.settings);
  const part = partFor(node, player, a);
  return {
    node,
    part,
    player,
    classes,
    factors,
    theme,
    grid: gridFor(part, player, factors),
    totals: totalsFor(part, player, factors),
    colours: coloursFor(node, state.settings.palette, theme),
  };
}

/** Classes come for all combos of a board; here by the columns of a node. */
export function classesOf(classes, node) {
  if (!classes || !node.board || classes.board !== node.board) return null;
  const number = new Map(classes.hands.map((name, i) => [name, i]));
  const pick = (values) => node.hands.map((names) => names.map((name) => values[number.get(name)]));
  return { ...classes, made: pick(classes.made), draws: pick(classes.draws) };
}

const classesFor = remember(classesOf);
