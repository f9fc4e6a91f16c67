// A small node of a river by hand: OOP has AsAh, AsKs (half) and 7c7d, IP has KhKd and QhQd.
export const node = {
  path: "x:b50",
  kind: "decision",
  street: "river",
  board: "2c3d8hJsQs",
  unit: "chips",
  pot: 100,
  stacks: [200, 150],
  players: ["OOP", "IP"],
  actor: 0,
  hand_space: "combos",
  hands: [
    ["AsAh", "AsKs", "7d7c"],
    ["KhKd", "QhQd"],
  ],
  weights: [
    [1, 0.5, 1],
    [1, 1],
  ],
  met: [
    [2, 2, 2],
    [2.5, 2.5],
  ],
  equity: [
    [0.5, 0, 0],
    [0.8, 1],
  ],
  ev: [
    [60, 20, 0],
    [50, 70],
  ],
  range_ev: [28, 72],
  range_equity: [0.2, 0.9],
  eqr: [1.4, 0.8],
  combos: [2.5, 2],
  actions: [
    {
      code: "f",
      label: "fold",
      kind: "fold",
      amount: 0,
      frequency: 0.4,
      combos: 1,
      ev: 0,
      strategy: [0, 0, 1],
      evs: [0, 0, 0],
    },
    {
      code: "c",
      label: "call",
      kind: "call",
      amount: 50,
      frequency: 0.4,
      combos: 1,
      ev: 40,
      strategy: [0.75, 0.5, 0],
      evs: [60, 20, -10],
    },
    {
      code: "r100",
      label: "raise to 100",
      kind: "raise",
      amount: 100,
      frequency: 0.1,
      combos: 0.25,
      ev: 50,
      strategy: [0.25, 0, 0],
      evs: [60, 10, -40],
    },
    {
      code: "a",
      label: "all-in 200",
      kind: "all_in",
      amount: 200,
      frequency: 0.1,
      combos: 0.25,
      ev: 20,
      strategy: [0, 0.5, 0],
      evs: [40, 20, -90],
    },
  ],
  trail: [],
  locked: false,
  reach: 0.2,
};

export const hands = {
  ...node,
  hand_space: "hands",
  board: "",
  street: "preflop",
  hands: [
    ["AA", "AKs", "72o"],
    ["KK", "QQ"],
  ],
};

export const classes = {
  made_names: ["blocked", "high", "pair"],
  draw_names: ["flush-draws", "gutshots"],
  made: [
    [2, 1, 2],
    [2, 2],
  ],
  draws: [
    [0, 1, 2],
    [0, 3],
  ],
};
