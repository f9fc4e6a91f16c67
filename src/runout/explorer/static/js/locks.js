// Locks as text, in the language of the command line: x:b33% AA,KK: fold+=10%. Pure.

/** The text of edits {code: [sign, share]} at a node, for some hands or all. */
export function lockText(path, edits, hands = "") {
  const parts = Object.entries(edits).map(([code, [sign, share]]) => `${code}${sign}${Number((100 * share).toFixed(2))}%`);
  return [path || "root", hands && `${hands}:`, ...parts].filter((part) => part).join(" ");
}

/** Edits with another one for an action; always leaves room for nothing else. */
export function withEdit(edits, code, sign, share) {
  if (sign === "=" && share >= 1) return { [code]: ["=", 1] };
  const rest = Object.fromEntries(Object.entries(edits).filter(([, [s, n]]) => !(s === "=" && n >= 1)));
  if (sign === "=") return { ...rest, [code]: ["=", share] };
  const [before, by] = rest[code] || ["+=", 0];
  const total = before === "=" ? share : (before === "+=" ? by : -by) + (sign === "+=" ? share : -share);
  const tidy = Math.round(1000 * total) / 1000;
  if (tidy === 0) return Object.fromEntries(Object.entries(rest).filter(([key]) => key !== code));
  return { ...rest, [code]: [tidy > 0 ? "+=" : "-=", Math.abs(tidy)] };
}

/** Whether a node is locked, by its path. */
export const isLockedAt = (locks, path) => (locks || []).some((lock) => (lock.node === "r:0" ? "" : lock.node) === path);
