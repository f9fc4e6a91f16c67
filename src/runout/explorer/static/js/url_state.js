// The address of a view, and back. Pure: everything that is on the page is in the address.

const LETTER_BY_VIEW = { preflop: "p", spot: "s", flops: "f", diff: "d", new: "new", drill: "t", home: "" };
const VIEW_BY_LETTER = { p: "preflop", s: "spot", f: "flops", d: "diff", new: "new", t: "drill" };

/** Parameters by their names in an address, with what they are if they are not there. */
export const DEFAULTS = {
  n: "", // node
  l: "", // the line behind the node, as long as it is known
  h: "", // pinned hand or combo
  m: "strategy", // mode of the matrix
  tab: "hands",
  p: "", // player: 0 or 1, the actor if it is empty
  u: "", // unit: pct for percent of the pot
  a: "", // actions that are filters
  f: "", // classes that are in
  x: "", // classes that are out
  s: "", // suits
  q: "", // equity band, as 40-60
  c: "", // two actions whose EVs are compared
  e: "", // lens: how close EVs are "either", in percent of the pot
  g: "", // sizes are grouped; of a flop report: how
  v: "", // bars of the matrix: fill or reach; as fits if it is empty
  w: "", // table instead of chart
  sort: "",
  b: "", // second run of a difference
  t: "", // textures of a flop report
  flop: "", // the board that is asked about
};

/** Reads an address: the path and the query of a URL, or what is behind a # of a static site. */
export function parseAddress(text) {
  const [path, query = ""] = text.split("?");
  const [letter = "", run = ""] = path.split("/").filter((part) => part);
  const view = VIEW_BY_LETTER[letter] || "home";
  const params = { ...DEFAULTS };
  for (const [key, value] of new URLSearchParams(query)) {
    if (key === "a" && view === "diff") continue;
    if (key in DEFAULTS) params[key] = value;
  }
  const first = view === "diff" ? new URLSearchParams(query).get("a") || "" : safeDecode(run);
  return { view, run: first, params };
}

function safeDecode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Writes an address; what is as usual is left out. */
export function formatAddress({ view, run, params }) {
  const query = new URLSearchParams();
  if (view === "diff") query.set("a", run);
  for (const key of Object.keys(DEFAULTS)) {
    const value = params[key];
    if (key === "a" && view === "diff") continue;
    if (value !== undefined && value !== DEFAULTS[key]) query.set(key, value);
  }
  // Colons and commas are allowed in a query, and paths stay readable with them.
  const text = query.toString().replaceAll("%3A", ":").replaceAll("%2C", ",");
  const path =
    view === "home" ? "/" : view === "diff" || view === "new" ? `/${LETTER_BY_VIEW[view]}` : `/${LETTER_BY_VIEW[view]}/${encodeURIComponent(run)}`;
  return text ? `${path}?${text}` : path;
}

/** The view that shows a run of a kind. */
export function viewOfKind(kind) {
  return { spot: "spot", values: "flops", report: "flops" }[kind] || "preflop";
}

/** The parts of a list in an address. */
export const splitList = (text) => (text ? text.split(",") : []);

/** The list with one part added, or taken away if it is there. */
export function toggled(text, part) {
  const parts = splitList(text);
  return (parts.includes(part) ? parts.filter((p) => p !== part) : [...parts, part]).join(",");
}
