// Numbers as people read them. Pure.

export const NONE = "\u2013";

/** Whether there is a number. */
export function isKnown(value) {
  return value !== null && value !== undefined && !Number.isNaN(value);
}

/** A share of 0 to 1 as percent: 62 %, 3.4 %, <0.1 %. */
export function percent(share, decimals) {
  if (!isKnown(share)) return NONE;
  const value = 100 * share;
  if (decimals !== undefined) return `${(value + 0).toFixed(decimals)} %`;
  if (value > 0 && value < 0.1) return "<0.1 %";
  const isRound = value === 0 || value >= 99.95 || Math.abs(value) >= 100;
  return `${value.toFixed(isRound ? 0 : 1)} %`;
}

/** The same with a sign, for differences. */
export function signedPercent(share) {
  if (!isKnown(share)) return NONE;
  const text = (100 * share).toFixed(1);
  return `${Number(text) > 0 ? "+" : ""}${text === "-0.0" ? "0.0" : text} %`;
}

/** The share in as few characters as a cell has. */
export function shortPercent(share) {
  if (!isKnown(share)) return "";
  const value = 100 * share;
  if (value > 0 && value < 1) return "<1";
  return value.toFixed(0);
}

const DECIMALS = { bb: 2, chips: 1, pots: 3, pct: 2 };

/** An amount with the digits of its unit: 1.24 bb, 85.8, 0.512; `more` digits of what is small. */
export function amount(value, unit, hasUnit = false, more = 0) {
  if (!isKnown(value)) return NONE;
  const text = value.toFixed((DECIMALS[unit] ?? 2) + more);
  const clean = Number(text) === 0 ? text.replace("-", "") : text;
  return hasUnit ? `${clean} ${unit}` : clean;
}

/** The unit that is on: as asked, else big blinds where the spot knows them, else that of the node. */
export function unitOf(node, unit) {
  if (unit === "pct") return "pct";
  return node.big_blind && unit !== "chips" ? "bb" : node.unit;
}

/** The units of a node, the usual one first, by what an address calls them. */
export function unitsOf(node) {
  return node.big_blind ? ["", "chips", "pct"] : ["", "pct"];
}

/** What a hand wins, in the unit that is on: big blinds, that of the node, or percent of the pot. */
export function worth(value, node, unit, hasUnit = false, more = 0) {
  if (!isKnown(value)) return NONE;
  const shown = unitOf(node, unit);
  // Small pots in chips, as those of spots that were given in big blinds, have more digits.
  const digits = more + (shown === "chips" ? (node.pot < 20 ? 2 : node.pot < 100 ? 1 : 0) : 0);
  const scale = shown === "pct" ? 100 / node.pot : shown === "bb" && node.unit !== "bb" ? 1 / node.big_blind : 1;
  const text = amount(value * scale, shown, false, digits);
  if (!hasUnit) return text;
  return shown === "pct" ? `${text} % of the pot` : `${text} ${shown}`;
}

/** Pots, stacks and bets, in big blinds where the spot knows them. */
export function moneyOf(value, node, unit, hasUnit = false) {
  const shown = unitOf(node, unit) === "bb" ? "bb" : node.unit;
  const scale = shown === "bb" && node.unit !== "bb" ? 1 / node.big_blind : 1;
  return isKnown(value) ? `${money(value * scale)}${hasUnit ? ` ${shown}` : ""}` : NONE;
}

/** Money that is bet or lies in the middle, without trailing zeros. */
export function money(value) {
  return isKnown(value) ? String(Math.round(value * 1000) / 1000) : NONE;
}

/** How many combos: whole if it is whole. */
export function combos(value) {
  if (!isKnown(value)) return NONE;
  if (value > 0 && value < 0.05) return "<0.1";
  return Math.abs(value - Math.round(value)) < 0.05 ? String(Math.round(value)) : value.toFixed(1);
}

/** Seconds as people say them. */
export function duration(seconds, decimals = 1) {
  if (!isKnown(seconds)) return NONE;
  if (seconds < 60) return `${seconds.toFixed(decimals)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A date of the server, to the minute. */
export function moment(text) {
  return text ? `${text.slice(0, 16).replace("T", " ")} UTC` : NONE;
}

/** A file size. */
export function bytes(size) {
  let value = size;
  for (const unit of ["B", "kB", "MB"]) {
    if (value < 999.5) return `${value < 9.95 && unit !== "B" ? value.toFixed(1) : value.toFixed(0)} ${unit}`;
    value /= 1000;
  }
  return `${value.toFixed(1)} GB`;
}
