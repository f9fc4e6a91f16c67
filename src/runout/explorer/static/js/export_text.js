// What is on screen as CSV, JSON, SVG, and as a command line. Pure.
import { GRID } from "./hands.js";
import { isKnown } from "./format.js";
import { heldBy } from "./node_math.js";

/** The hands of a player, one per line, as a table. */
export function toCsv(node, player, factors = null) {
  const actions = player === node.actor ? node.actions : [];
  const names = [
    "combo",
    "weight",
    "equity",
    "ev",
    ...actions.flatMap((a) => [`${a.code} frequency`, `${a.code} ev`]),
  ];
  const { combos } = heldBy(node, player, factors);
  const rows = node.hands[player]
    .map((name, i) => [
      combos[i],
      [
        name,
        node.weights[player][i],
        node.equity[player][i],
        node.ev[player][i],
        ...actions.flatMap((a) => [a.strategy[i], a.evs[i]]),
      ],
    ])
    .filter(([count]) => !factors || count > 0)
    .map(([, row]) => row);
  return (
    [names, ...rows].map((row) => row.map((cell) => (isKnown(cell) ? cell : "")).join(",")).join("\n") + "\n"
  );
}

const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

const [CELL, GAP] = [44, 2];

/** The matrix with strategies, as the text of an SVG file. */
export function toSvg(node, grid, colours, { title, lines = [], isFull = false, isDark }) {
  const side = 13 * (CELL + GAP) + GAP;
  const head = 26 + 17 * lines.length;
  const legend = node.actions.length * 18 + 20 + head;
  const [paper, ink, empty] = isDark ? ["#14161a", "#f2f3f5", "#23262c"] : ["#ffffff", "#16181c", "#eceef1"];
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side + legend}" viewBox="0 0 ${side} ${side + legend}" font-family="system-ui, sans-serif">`,
    `<title>${escaped(title)}</title><rect width="100%" height="100%" fill="${paper}"/>`,
  ];
  GRID.flat().forEach((name, i) => {
    const [x, y] = [GAP + (i % 13) * (CELL + GAP), head + GAP + Math.floor(i / 13) * (CELL + GAP)];
    parts.push(`<rect x="${x}" y="${y}" width="${CELL}" height="${CELL}" fill="${empty}"/>`);
    const cell = grid[i];
    if (cell && cell.combos > 0) {
      const height = isFull ? CELL : CELL * Math.max(0.04, Math.min(1, cell.reach));
      let left = x;
      cell.frequencies.forEach((share, k) => {
        if (!(share > 0)) return;
        parts.push(
          `<rect x="${left.toFixed(2)}" y="${(y + CELL - height).toFixed(2)}" width="${(CELL * share).toFixed(2)}" height="${height.toFixed(2)}" fill="${colours[k]}"/>`,
        );
        left += CELL * share;
      });
    }
    parts.push(`<text x="${x + 4}" y="${y + 14}" font-size="12" fill="${ink}">${name}</text>`);
  });
  node.actions.forEach((action, k) => {
    const y = head + side + 12 + 18 * k;
    parts.push(
      `<rect x="4" y="${y}" width="12" height="12" fill="${colours[k]}"/><text x="22" y="${y + 11}" font-size="12" fill="${ink}">${escaped(action.label)} ${(100 * (action.frequency || 0)).toFixed(1)} %</text>`,
    );
  });
  parts.push(
    `<text x="4" y="18" font-size="15" font-weight="600" fill="${ink}">${escaped(title)}</text>`,
    ...lines.map((line, k) => `<text x="4" y="${36 + 17 * k}" font-size="12" fill="${ink}">${escaped(line)}</text>`),
    "</svg>",
  );
  return parts.join("\n");
}

const quoted = (text) => (/^[\w./:,+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

const SHOWN = { ev: "ev", eq: "equity", eqr: "eqr", reach: "reach" };

/** The command line that gives the same answer. */
export function toCommand(facts, node, params) {
  if (facts.kind === "preflop") {
    if (params.h) return ["runout", "show", quoted(facts.path), "--trace", params.h].join(" ");
    return ["runout", "show", quoted(facts.path), ...(params.n ? ["--node", quoted(params.n)] : [])].join(
      " ",
    );
  }
  const hasCards = params.tab === "runouts" && node.board;
  const words = ["runout", "show", quoted(facts.path)];
  if (params.n) words.push("--node", quoted(params.n));
  if (hasCards) return [...words, "--by", "card"].join(" ");
  if (params.p) words.push("--player", node.players[Number(params.p)].toLowerCase());
  if (params.f) words.push("--class", quoted(params.f));
  if (params.h) words.push("--hand", quoted(params.h));
  else if (params.tab === "breakdown") words.push("--by", node.board ? "class" : "equity");
  else if (params.m in SHOWN) words.push("--show", SHOWN[params.m]);
  return words.join(" ");
}
