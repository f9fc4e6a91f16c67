import assert from "node:assert/strict";
import { test } from "node:test";
import * as draft from "../../../src/runout/explorer/static/js/draft.js";
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
