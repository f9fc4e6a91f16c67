// Flops by texture: filters, groups and rows weighted by how often flops come. Pure.
import { isKnown } from "./format.js";

/** The textures of a flop, by how they group. */
export const GROUPS = ["high", "suits", "pairing", "connected"];

/** Flops that have one of the chosen textures of every group of which some are chosen. */
export function filterFlops(flops, textures) {
  return flops.filter((flop) =>
    GROUPS.every((group) => {
      const chosen = textures
        .filter((texture) => texture.startsWith(`${group}.`))
        .map((t) => t.slice(group.length + 1));
      return !chosen.length || chosen.includes(flop[group]);
    }),
  );
}

/** Every texture that some flop has, as group.value, in the order of the flops. */
export function texturesOf(flops) {
  return GROUPS.flatMap((group) =>
    [...new Set(flops.map((flop) => flop[group]))].map((value) => `${group}.${value}`),
  );
}

/** One row for several flops, each by its share. */
export function summarize(name, flops) {
  const weighted = (pick) => {
    let [sum, weight] = [0, 0];
    for (const flop of flops) {
      const value = pick(flop);
      if (isKnown(value)) [sum, weight] = [sum + flop.share * value, weight + flop.share];
    }
    return weight > 0 ? sum / weight : null;
  };
  const actions = flops.find((flop) => flop.actions.length)?.actions || [];
  const ev = [0, 1].map((player) => weighted((flop) => flop.ev[player]));
  const equity = [0, 1].map((player) => weighted((flop) => flop.equity[player]));
  const pot = flops[0]?.pot;
  return {
    flop: name,
    isGroup: true,
    count: flops.length,
    share: flops.reduce((sum, flop) => sum + flop.share, 0),
    actions: actions.map((action) => ({
      ...action,
      frequency: weighted((flop) => flop.actions.find((other) => other.code === action.code)?.frequency),
    })),
    ev,
    equity,
    // Not the mean of ratios: what all of them get of what equity would give.
    eqr: ev.map((value, player) => (equity[player] > 0 ? value / (pot * equity[player]) : null)),
    more: Object.fromEntries(
      Object.keys(flops[0]?.more || {}).map((key) => [key, weighted((flop) => flop.more[key])]),
    ),
    exploitability: weighted((flop) => flop.exploitability),
  };
}

/** Flops as one row per value of a group, or as they are. */
export function groupFlops(flops, group) {
  if (!GROUPS.includes(group)) return flops;
  const values = [...new Set(flops.map((flop) => flop[group]))];
  return values.map((value) =>
    summarize(
      value,
      flops.filter((flop) => flop[group] === value),
    ),
  );
}
