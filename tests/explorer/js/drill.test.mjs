import assert from "node:assert/strict";
import { test } from "node:test";
import * as drill from "../../../src/runout/explorer/static/js/drill.js";
import { node } from "./sample.mjs";

let seed = 11;
const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;

test("draws follow their weights", () => {
  const counts = [0, 0, 0];
  for (let i = 0; i < 3000; i += 1) counts[drill.draw([1, 0, 3], random)] += 1;
  assert.equal(counts[1], 0);
  assert.ok(Math.abs(counts[2] / 3000 - 0.75) < 0.04);
  assert.equal(drill.draw([0, 0], random), -1);
  assert.equal(drill.draw([0, 1], () => 0.999999999), 1);
});

test("both players are dealt hands that can be held together, off the board", () => {
  for (let i = 0; i < 200; i += 1) {
    const held = drill.deal(node, 0, random);
    const cards = [...held, node.board || ""].join("").match(/../g);
    assert.equal(new Set(cards).size, cards.length);
  }
});

const question = {
  actor: 0,
  pot: 100,
  hands: [["AhKh"], ["QsQd"]],
  actions: [
    { code: "x", evs: [50], strategy: [0.9] },
    { code: "b33", evs: [49], strategy: [0.1] },
    { code: "b75", evs: [49], strategy: [0] },
    { code: "a", evs: [49.9], strategy: [0] },
  ],
};

test("answers are graded by what they lose; mixed and near ones are never wrong", () => {
  const of = (action) => drill.grade(question, "KhAh", action);
  assert.deepEqual([0, 1, 2, 3].map((i) => of(i).isMistake), [false, false, true, false]);
  assert.equal(of(2).lostPot, 0.01);
  assert.equal(of(2).best, 0);
});

test("what was missed comes again after two questions, then less and less often", () => {
  let memory = drill.noted({ count: 0, missed: {} }, "run|x|AhKh", true);
  assert.equal(drill.nextDue(memory, "run"), null);
  memory = drill.noted(memory, "run|x|QsQd", false);
  memory = drill.noted(memory, "run|x|QsQc", false);
  assert.deepEqual(drill.nextDue(memory, "run"), { path: "x", combo: "AhKh" });
  assert.equal(drill.nextDue(memory, "other"), null);
  for (let i = 0; i < 5; i += 1) memory = drill.noted(memory, "run|x|AhKh", false);
  assert.deepEqual(memory.missed, {});
});

test("suits are shuffled and stay different", () => {
  const suits = drill.shuffledSuits(random);
  assert.equal(new Set(Object.values(suits)).size, 4);
  const cards = drill.inSuits("Td9d6h", suits);
  assert.equal(cards[0][1], cards[1][1]);
  assert.notEqual(cards[0][1], cards[2][1]);
});

test("leaks are listed with the worst first", () => {
  const answers = [["sets", 0.02], ["overpair", 0], ["sets", 0.04]].map(([made, lostPot]) => ({ made, lostPot, isMistake: lostPot > 0 }));
  const rows = drill.leaks(answers, (each) => each.made);
  assert.deepEqual(rows.map((row) => [row.name, row.count, row.mistakes]), [["sets", 2, 2], ["overpair", 1, 0]]);
});
