import assert from "node:assert/strict";
import { test } from "node:test";
import * as draft from "../../../src/runout/explorer/static/js/draft.js";
import { CONTRAST } from "../../../src/runout/explorer/static/js/colours.js";
import { matchingRuns, splitName } from "../../../src/runout/explorer/static/js/runs.js";
import * as math from "../../../src/runout/explorer/static/js/node_math.js";
import * as format from "../../../src/runout/explorer/static/js/format.js";
import * as locks from "../../../src/runout/explorer/static/js/locks.js";
import { node } from "./sample.mjs";
import { decades } from "../../../src/runout/explorer/static/js/curves.js";

test("a draft in big blinds is in chips for the config", () => {
  const keys = draft.keysOf({ ...draft.newDraft(), pot: "5.5", stack: "97,25", rake: "5", rakeCap: "3" });
  assert.deepEqual([keys.pot, keys.stack, keys.big_blind, keys.rake_cap], [550, 9725, 100, 300]);
  assert.equal(keys.rake_rate, 0.05);
  assert.deepEqual(keys.bet_sizes.flop, { oop: ["33%", "75%"], ip: ["33%", "75%"] });
  assert.deepEqual(keys.donk_sizes, { flop: [], turn: [], river: [] });
});

test("what is no number goes to the server as it is, which says so", () => {
  assert.equal(draft.keysOf({ ...draft.newDraft(), pot: "five" }).pot, "five");
  assert.equal(draft.keysOf({ ...draft.newDraft(), rakeCap: "" }).rake_cap, null);
});

test("keys become a draft and the same keys again", () => {
  const keys = {
    board: "QsJh2h8c",
    oop: "AA,KK",
    ip: "QQ",
    pot: 180,
    stack: 910,
    big_blind: null,
    bet_sizes: { flop: ["33%"], turn: { oop: ["50%"], ip: ["75%"] }, river: ["75%", "a"] },
    raise_sizes: ["2.5x"],
    donk_sizes: null,
    max_raises_per_street: null,
    rake_rate: 0.03,
    rake_cap: 12,
    target: "0.5%",
    rivers: "exact",
    precision: 16,
    locks: [{ node: "x", strategy: { x: 1 } }],
    added_lines: ["x:b12"],
    merges_suits: false,
  };
  const made = draft.draftOf(keys);
  const again = draft.keysOf(made);
  assert.deepEqual(again.bet_sizes.turn, { oop: ["50%"], ip: ["75%"] });
  assert.deepEqual(again.bet_sizes.river, { oop: ["75%", "a"], ip: ["75%", "a"] });
  assert.deepEqual(again.donk_sizes.turn, ["50%"]);
  const same = ["board", "oop", "ip", "pot", "stack", "rake_rate", "rake_cap", "target", "precision", "locks"];
  for (const key of [...same, "max_raises_per_street", "added_lines", "merges_suits"])
    assert.deepEqual(again[key], keys[key], key);
});

test("painting a hand or a combo changes only that", () => {
  let weights = draft.weightsOfText("AA,AKs:0.5,KhAh:0.25");
  assert.deepEqual(weights, { AA: 1, AKs: 0.5, AhKh: 0.25 });
  weights = draft.withHand(draft.weightsOfText("AA,AKs:0.5"), "AKs", 1);
  assert.deepEqual(weights, { AA: 1, AKs: 1 });
  weights = draft.withCombo(weights, "AhKh", 0);
  assert.equal(draft.weightOf(weights, "AKs"), 0.75);
  assert.equal(draft.textOfWeights(weights), "AA,AsKs,AdKd,AcKc");
  assert.equal(draft.numCombos(weights), 9);
  assert.deepEqual(draft.withCombo(weights, "AhKh", 1), { AA: 1, AKs: 1 });
  assert.deepEqual(draft.withHand(weights, "AKs", 0), { AA: 1 });
});

test("a random flop has its texture, and a board has five cards at most", () => {
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (const [texture, has] of Object.entries(draft.TEXTURES)) {
    const cards = draft.randomFlop(texture, random).match(/../g);
    assert.equal(new Set(cards).size, 3);
    assert.ok(has(cards), texture);
  }
  assert.equal(draft.toggledCard("2c3c4h8s9s", "Ah"), "2c3c4h8s9s");
  assert.equal(draft.toggledCard("2c3c4h", "3c"), "2c4h");
});

test("memory decides how rivers are kept", () => {
  const size = { memory_bytes_32: 31e9, memory_bytes_16: 15.7e9, memory_available_bytes: 22e9 };
  assert.deepEqual(draft.chooseWay(size, true), { rivers: "exact", precision: 16 });
  assert.deepEqual(draft.chooseWay({ ...size, memory_available_bytes: 8e9 }, true).rivers, "compact");
  assert.deepEqual(draft.chooseWay({ ...size, memory_available_bytes: 64e9 }, true).precision, 32);
});

test("time left follows the slope of the curve, and is unknown before there is one", () => {
  const curve = [8, 16, 32, 64].map((n) => [n, 1 / n]);
  const [low, high] = draft.timeLeft(curve, 64, 64, 1 / 128);
  assert.ok(Math.abs(low - 64) < 1e-6 && Math.abs(high - 64) < 1e-6);
  assert.equal(draft.timeLeft(curve.slice(0, 2), 64, 64, 0.001), null);
  assert.equal(draft.timeLeft(curve, 64, 64, null), null);
  const flat = [8, 16, 32].map((n) => [n, 0.03]);
  assert.equal(draft.timeLeft(flat, 9, 32, 0.005), null);
});

test("a logarithmic axis has round numbers", () => {
  assert.deepEqual(decades(0.006, 0.12), [0.01, 0.03, 0.1]);
  assert.ok(decades(0.004, 0.06).every((mark) => ["1", "2", "3", "5"].includes(String(Number(mark.toExponential().split("e")[0])))));
  assert.deepEqual(decades(0.0042, 0.0044), [0.0042, 0.0044]);
});

const luminance = (hex) => {
  const [r, g, b] = [1, 3, 5]
    .map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => {
  const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
  return (x + 0.05) / (y + 0.05);
};

test("high contrast is one: fills against the page, and letters against fills", () => {
  const page = { light: ["#ffffff", "#15181d"], dark: ["#191c22", "#eef0f4"] };
  for (const [theme, [panel, ink]] of Object.entries(page)) {
    const { fold, passive, bets, allIn } = CONTRAST[theme];
    for (const colour of [fold, passive, ...bets, allIn]) {
      assert.ok(contrast(colour, panel) >= 2.9, `${theme} ${colour} ${contrast(colour, panel)}`);
      assert.ok(contrast(colour, ink) >= 4.5, `${theme} ${colour} ${contrast(colour, ink)}`);
    }
  }
});

test("solutions are found by the words of names and tags, and sorted", () => {
  const run = (id, date, exploitability, unit = "pot") => ({
    id, name: `x/${id}`, title: "", kind: "spot", date, size_bytes: 1, quality: { exploitability, unit },
  });
  const runs = [run("b", "2026-01-02", 0.01), run("a", "2026-01-01", 0.02), run("c", "2026-01-03", 5, "mbb")];
  const ids = (list) => matchingRuns(runs, { a: ["dry"] }, list).map((each) => each.id).join("");
  assert.equal(ids({}), "abc");
  assert.equal(ids({ sort: "date" }), "cba");
  assert.equal(ids({ sort: "quality" }), "bac");
  assert.equal(ids({ text: "x dry" }), "a");
  assert.deepEqual(splitName("x/y/z"), ["x/y", "z"]);
});

test("amounts are in big blinds where a spot knows them", () => {
  const spot = { unit: "chips", pot: 500, big_blind: 100 };
  assert.equal(format.worth(123.4, spot, "", true), "1.23 bb");
  assert.equal(format.worth(123.4, spot, "chips"), "123.4");
  assert.equal(format.worth(123.4, spot, "pct"), "24.68");
  assert.equal(format.moneyOf(500, spot, "", true), "5 bb");
  assert.equal(format.worth(1.2345, { unit: "chips", pot: 5.5 }, ""), "1.234");
  assert.deepEqual(format.unitsOf(spot), ["", "chips", "pct"]);
});

test("an action filter leaves only that action, and hands as often as they take it", () => {
  const [first] = node.actions;
  const part = math.onlyActions(node, [first.code]);
  part.actions.slice(1).forEach((action) => assert.ok(action.strategy.every((share) => !share)));
  part.actions[0].strategy.forEach((share, i) => assert.equal(share, first.strategy[i] > 0 ? 1 : null));
  assert.equal(math.onlyActions(node, ["nothing"]), node);
});

test("bars fill their cells where most hands hardly get here", () => {
  const cell = (reach) => ({ combos: 1, reach });
  assert.equal(math.isFilled([cell(0.1), cell(0.2), cell(1)], ""), true);
  assert.equal(math.isFilled([cell(0.1), cell(0.9), cell(1)], ""), false);
  assert.equal(math.isFilled([cell(0.1)], "reach"), false);
});

test("what hands give up is nothing where they play their best action", () => {
  const best = (evs) => node.actions.map((action, k) => ({
    ...action, evs: evs[k], strategy: action.strategy.map((_, i) => (i % 2 ? Number(k === 0) : Number(k === 1))),
  }));
  const evs = node.actions.map((action, k) => action.strategy.map(() => (k < 2 ? 5 : 1)));
  assert.equal(math.meanLoss({ ...node, actions: best(evs) }), 0);
  const worse = node.actions.map((action, k) => action.strategy.map(() => (k < 2 ? 5 : 8)));
  assert.equal(math.meanLoss({ ...node, actions: best(worse) }), 3);
});

test("locks are text in the language of the command line", () => {
  let edits = locks.withEdit({}, "f", "+=", 0.1);
  edits = locks.withEdit(edits, "f", "+=", 0.1);
  edits = locks.withEdit(edits, "r148", "=", 0);
  assert.equal(locks.lockText("x:b59", edits, "AA,KK"), "x:b59 AA,KK: f+=20% r148=0%");
  assert.equal(locks.lockText("", locks.withEdit(edits, "f", "-=", 0.3)), "root f-=10% r148=0%");
  assert.deepEqual(locks.withEdit({ f: ["+=", 0.1] }, "f", "-=", 0.1), {});
  assert.deepEqual(locks.withEdit(edits, "c", "=", 1), { c: ["=", 1] });
  const merged = [{ node: "r:0" }, { node: "x" }];
  assert.ok(locks.isLockedAt(merged, "") && locks.isLockedAt(merged, "x") && !locks.isLockedAt(merged, "x:x"));
});
