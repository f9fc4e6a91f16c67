import assert from "node:assert/strict";
import { test } from "node:test";
import * as format from "../../../src/runout/explorer/static/js/format.js";
import { commonActions, differenceGrid, moved } from "../../../src/runout/explorer/static/js/difference.js";
import { distribution, ticks, valueAt } from "../../../src/runout/explorer/static/js/curves.js";
import * as math from "../../../src/runout/explorer/static/js/node_math.js";
import { cellOf } from "../../../src/runout/explorer/static/js/hands.js";
import { hands, node } from "./sample.mjs";

test("shares are percent with as many digits as they deserve", () => {
  assert.equal(format.percent(0.6249), "62.5 %");
  assert.equal(format.percent(0.0004), "<0.1 %");
  assert.equal(format.percent(1), "100 %");
  assert.equal(format.percent(0), "0 %");
  assert.equal(format.percent(null), format.NONE);
  assert.equal(format.signedPercent(0.02), "+2.0 %");
  assert.equal(format.signedPercent(-0.00001), "0.0 %");
});

test("amounts have the digits of their unit and no negative zero", () => {
  assert.equal(format.amount(1.239, "bb", true), "1.24 bb");
  assert.equal(format.amount(-0.001, "bb"), "0.00");
  assert.equal(format.worth(25, node, "pct"), "25.00");
  assert.equal(format.worth(25, node, ""), "25.0");
});

test("times and sizes are what people say", () => {
  assert.equal(format.duration(75), "1 min 15 s");
  assert.equal(format.duration(3720), "1 h 2 min");
  assert.equal(format.bytes(405_000_000), "405 MB");
});

test("a cell is the mean of its combos by the deals that have them", () => {
  const grid = math.gridOf(node, 0);
  const aces = grid[cellOf("AA")];
  assert.equal(aces.combos, 1);
  assert.equal(aces.reach, 1 / 6);
  assert.deepEqual(aces.frequencies, [0, 0.75, 0.25, 0]);
  assert.equal(grid[cellOf("AKo")], null);
  assert.ok(Math.abs(aces.eqr - 60 / (100 * 0.5)) < 1e-12);
});

test("before the flop a column stands for all combos of a hand", () => {
  const { combos, deals } = math.heldBy(hands, 0);
  assert.deepEqual(combos, [6, 2, 12]);
  assert.deepEqual(deals, [12, 4, 24]);
  assert.equal(math.gridOf(hands, 0)[cellOf("AA")].reach, 1);
});

test("totals of all hands are those of the node", () => {
  const totals = math.totalsOf(node, 0);
  assert.equal(totals.combos, 2.5);
  assert.equal(totals.ev, (60 + 10 + 0) / 2.5);
  assert.equal(totals.actions[0].frequency, 1 / 2.5);
  assert.equal(totals.actions[0].ev, 0);
  assert.equal(totals.share, 1);
});

test("what nobody takes has no value", () => {
  const folded = { ...node, actions: [{ ...node.actions[0], strategy: [0, 0, 0] }] };
  assert.equal(math.totalsOf(folded, 0).actions[0].ev, null);
});

test("the loss of a hand is the best action minus what it plays", () => {
  assert.equal(math.lossOf(node, 0), 0);
  assert.equal(math.lossOf(node, 1), 0);
  assert.equal(math.lossOf(node, 2), 0);
  const bad = { ...node, actions: node.actions.map((a) => ({ ...a, strategy: [0.25, 0.25, 0.25] })) };
  assert.equal(math.lossOf(bad, 0), 60 - 40);
});

test("hands with two equally good actions are either, others are not", () => {
  const lens = math.indifference(node, 1);
  assert.equal(lens[cellOf("AA")], 1);
  assert.equal(lens[cellOf("AKs")], 1);
  assert.equal(lens[cellOf("77")], 0);
  assert.equal(lens[cellOf("22")], null);
});

test("two actions are compared by what they are worth to each hand", () => {
  const compared = math.compareActions(node, "r100", "f");
  assert.equal(compared[cellOf("AA")], 60);
  assert.equal(compared[cellOf("77")], -40);
});

test("grouped sizes keep what is played and what it is worth", () => {
  const grouped = math.groupSizes(node);
  assert.deepEqual(
    grouped.actions.map((a) => a.code),
    ["f", "c", "r100+a"],
  );
  assert.deepEqual(grouped.actions[2].strategy, [0.25, 0.5, 0]);
  assert.equal(grouped.actions[2].evs[0], 60);
  assert.equal(grouped.actions[2].evs[1], 20);
  assert.equal(grouped.actions[2].label, "any raise");
});

test("a distribution rises over the whole range", () => {
  const points = distribution(node, 0, node.ev[0]);
  assert.deepEqual(
    points.map(([, value]) => value),
    [0, 0, 20, 20, 60, 60],
  );
  assert.equal(points.at(-1)[0], 1);
  assert.equal(valueAt(points, 0.5), 20);
});

test("ticks are round and inside", () => {
  assert.deepEqual(ticks(0, 1), [0, 0.5, 1]);
  assert.ok(ticks(-3.2, 17).every((tick) => tick >= -3.2 && tick <= 17));
});

test("a solution does not differ from itself", () => {
  assert.equal(moved(node, node), 0);
  assert.ok(differenceGrid(node, node, 0, "ev").every((value) => value === null || value === 0));
});

test("a difference is second minus first, where both have the hand and the action", () => {
  const other = { ...node, actions: node.actions.slice(0, 2).map((a, i) => ({ ...a, strategy: [i, i, i] })) };
  assert.deepEqual(
    commonActions(node, other).map((a) => a.code),
    ["f", "c"],
  );
  assert.equal(differenceGrid(node, other, 0, "c")[cellOf("AA")], 0.25);
  assert.equal(differenceGrid(node, other, 0, "a")[cellOf("AA")], null);
  assert.ok(Math.abs(moved(node, other) - (0.25 + 0.5 * 0.5 + 1) / 2.5) < 1e-12);
});
