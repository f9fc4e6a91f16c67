import assert from "node:assert/strict";
import { test } from "node:test";
import { actionColours } from "../../../src/runout/explorer/static/js/colours.js";
import { bandRows, drawRows, madeRows } from "../../../src/runout/explorer/static/js/breakdown.js";
import { toCommand, toCsv, toSvg } from "../../../src/runout/explorer/static/js/export_text.js";
import { factorsOf, filtersOf, hasFilters } from "../../../src/runout/explorer/static/js/filters.js";
import {
  filterFlops,
  groupFlops,
  summarize,
  texturesOf,
} from "../../../src/runout/explorer/static/js/flop_groups.js";
import * as cards from "../../../src/runout/explorer/static/js/hands.js";
import { gridOf } from "../../../src/runout/explorer/static/js/node_math.js";
import * as paths from "../../../src/runout/explorer/static/js/paths.js";
import { toGtoPlusText, toPioText, weightsOf } from "../../../src/runout/explorer/static/js/range_text.js";
import {
  DEFAULTS,
  formatAddress,
  parseAddress,
  toggled,
} from "../../../src/runout/explorer/static/js/url_state.js";
import { classes, hands, node } from "./sample.mjs";

test("the grid has every hand once, suited ones above the diagonal", () => {
  assert.equal(new Set(cards.GRID.flat()).size, 169);
  assert.equal(cards.GRID[0][1], "AKs");
  assert.equal(cards.GRID[1][0], "AKo");
  assert.equal(cards.GRID.flat().flatMap(cards.combosOf).length, 1326);
});

test("next cards that share a row get one each, with their own paths", () => {
  const rows = [{ cards: ["8h", "8d"], share: 0.5 }];
  const answer = paths.withRowPerCard({ path: "x:CARD:c", chosen: "8h", rows });
  assert.deepEqual(
    answer.rows.map((row) => [row.card, row.path, row.share]),
    [
      ["8h", "x:8h:c", 0.5],
      ["8d", "x:8d:c", 0.5],
    ],
  );
  assert.equal(answer.chosen, "8h");
});

test("a combo belongs to its hand whatever the order of its cards", () => {
  assert.equal(cards.handOf("KhAh"), "AKs");
  assert.equal(cards.handOf("2c2d"), "22");
  assert.equal(cards.handOf("AKo"), "AKo");
  assert.equal(cards.liveCombos("AsKd2c")[0], 3);
});

test("an address that is written is read as it was", () => {
  const params = {
    ...DEFAULTS,
    n: "x:b59:c:8h",
    h: "AhKs",
    m: "strategy+ev",
    f: "sets,flush-draws",
    q: "40-60",
  };
  const address = { view: "spot", run: "flop-1", params };
  const text = formatAddress(address);
  assert.ok(text.startsWith("/s/flop-1?n=x:b59:c:8h&h=AhKs"));
  assert.deepEqual(parseAddress(text), address);
});

test("a difference has both solutions in its address", () => {
  const address = { view: "diff", run: "one", params: { ...DEFAULTS, b: "two", n: "x" } };
  assert.deepEqual(parseAddress(formatAddress(address)), address);
});

test("what an address does not know is left out, and rubbish leads home", () => {
  assert.equal(parseAddress("/?zzz=1").view, "home");
  assert.equal(parseAddress("/q/%E0%A4%A").view, "home");
  assert.equal(parseAddress("/s/%E0%A4%A").run, "%E0%A4%A");
  assert.equal(formatAddress({ view: "home", run: "", params: { ...DEFAULTS } }), "/");
  assert.equal(toggled("a,b", "a"), "b");
});

test("paths are joined as the command line writes them", () => {
  assert.equal(paths.joinPath("", "r2"), "r2");
  assert.equal(paths.joinPath("r2:c", "Td9d6h"), "r2:c:Td9d6h");
  assert.equal(paths.parentOf("r2-c:Td9d6h"), "r2-c");
  assert.equal(paths.parentOf("x"), "");
  assert.deepEqual(paths.stepsOf("r:0:x:b59"), ["x", "b59"]);
  assert.ok(paths.isOnLine("x", "x:b59:c"));
  assert.ok(!paths.isOnLine("x:b5", "x:b59"));
  assert.equal(paths.nextStep("x", "x:b59:c"), "b59");
});

test("every action has a colour of its own in every palette", () => {
  for (const palette of ["classic", "okabe-ito", "contrast"]) {
    for (const theme of ["dark", "light"]) {
      assert.equal(new Set(actionColours(node.actions, palette, theme)).size, 4);
    }
  }
});

test("filters keep the part of each hand that passes", () => {
  const of = (params) => factorsOf(node, 0, filtersOf({ ...DEFAULTS, ...params }), classes);
  assert.equal(of({}), null);
  assert.deepEqual(of({ a: "c" }), [0.75, 0.5, 0]);
  assert.deepEqual(of({ a: "c,r100" }), [1, 0.5, 0]);
  assert.deepEqual(of({ f: "pair" }), [1, 0, 1]);
  assert.deepEqual(of({ f: "pair", x: "gutshots" }), [1, 0, 0]);
  assert.deepEqual(of({ s: "s" }), [0, 1, 0]);
  assert.deepEqual(of({ q: "40-60" }), [1, 0, 0]);
  assert.ok(!hasFilters(filtersOf(DEFAULTS)));
});

test("rows of a breakdown add up to the range", () => {
  const made = madeRows(node, 0, classes, null);
  assert.deepEqual(
    made.map((row) => row.name),
    ["pair", "high"],
  );
  assert.ok(Math.abs(made.reduce((sum, row) => sum + row.share, 0) - 1) < 1e-12);
  assert.ok(Math.abs(bandRows(node, 0, null).reduce((sum, row) => sum + row.combos, 0) - 2.5) < 1e-12);
  assert.deepEqual(
    drawRows(node, 0, classes, null).map((row) => row.name),
    ["flush-draws", "gutshots", "no-draw"],
  );
});

test("a range is written as other programs read it", () => {
  const weights = new Map([
    ["AA", 1],
    ["KK", 1],
    ["QQ", 0.5],
    ["A5s", 0.25],
    ["A4s", 0.25],
  ]);
  assert.equal(toPioText(weights), "AA-KK,QQ:0.5,A5s-A4s:0.25");
  assert.equal(toGtoPlusText(weights), "AA-KK,[50]QQ[/50],[25]A5s-A4s[/25]");
  assert.equal(toPioText(weightsOf(hands, 0)), "AA,AKs:0.5,72o");
  assert.equal(toPioText(weightsOf(node, 0), node.board), "AsAh,AsKs:0.5,7d7c");
});

test("all live combos of one weight are one hand", () => {
  const weights = new Map(
    cards
      .combosOf("AA")
      .filter((c) => !c.includes("As"))
      .map((c) => [c, 1]),
  );
  assert.equal(toPioText(weights, "As2c3d"), "AA");
});

test("a table has a line for each hand, a picture a cell", () => {
  const lines = toCsv(node, 0).trim().split("\n");
  assert.equal(
    lines[0],
    "combo,weight,equity,ev,f frequency,f ev,c frequency,c ev,r100 frequency,r100 ev,a frequency,a ev",
  );
  assert.equal(lines.length, 4);
  const svg = toSvg(node, gridOf(node, 0), ["red", "blue", "green", "black"], { title: "<x>", isDark: true });
  assert.equal((svg.match(/<rect/g) || []).length, 1 + 169 + 5 + 4);
  assert.ok(svg.includes("&lt;x>"));
});

test("the command line that says the same is quoted where it must be", () => {
  const facts = { kind: "spot", path: "runs/my flop" };
  const of = (params) => toCommand(facts, node, { ...DEFAULTS, n: "x:b50", ...params });
  assert.equal(of({ h: "AKs" }), "runout show 'runs/my flop' --node x:b50 --hand AKs");
  assert.equal(
    of({ m: "eq", p: "1" }),
    "runout show 'runs/my flop' --node x:b50 --player ip --show equity",
  );
  assert.equal(
    of({ tab: "breakdown", f: "sets,gutshots" }),
    "runout show 'runs/my flop' --node x:b50 --class sets,gutshots --by class",
  );
  assert.equal(of({ tab: "runouts" }), "runout show 'runs/my flop' --node x:b50 --by card");
});

test("flops are grouped by their share", () => {
  const flop = (name, share, suits, ev) => ({
    flop: name,
    share,
    high: "A high",
    suits,
    pairing: "unpaired",
    connected: "connected",
    actions: [],
    pot: 1,
    ev: [ev, 1 - ev],
    equity: [ev / 2, null],
    eqr: [2, null],
    more: { nuts: ev },
    exploitability: null,
  });
  const flops = [flop("AsKsQs", 0.1, "monotone", 0.2), flop("AsKhQd", 0.3, "rainbow", 0.6)];
  const all = summarize("all", flops);
  assert.ok(Math.abs(all.ev[0] - 0.5) < 1e-12);
  assert.ok(Math.abs(all.more.nuts - 0.5) < 1e-12);
  assert.ok(Math.abs(all.eqr[0] - 2) < 1e-12);
  assert.equal(all.eqr[1], null);
  assert.deepEqual(
    groupFlops(flops, "suits").map((row) => row.flop),
    ["monotone", "rainbow"],
  );
  assert.deepEqual(
    filterFlops(flops, ["suits.rainbow"]).map((row) => row.flop),
    ["AsKhQd"],
  );
  assert.ok(texturesOf(flops).includes("suits.monotone"));
});

test("boards that differ by the names of suits are alike", () => {
  assert.ok(cards.areAlike("Td9d6h", "6c9sTs"));
  assert.ok(!cards.areAlike("Td9d6h", "Td9h6h"));
});
