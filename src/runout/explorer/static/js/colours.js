// What actions and values look like: fold blue, check and call green, bets warm by size. Pure.

export const PALETTES = ["classic", "okabe-ito", "contrast"];

// Lightness, chroma and hue. White text lies on the dark ones, black text on the light ones.
const CLASSIC = {
  dark: {
    fold: [0.47, 0.11, 255],
    passive: [0.55, 0.13, 152],
    smallest: [0.68, 0.14, 72],
    largest: [0.55, 0.19, 38],
    allIn: [0.38, 0.15, 20],
  },
  light: {
    fold: [0.74, 0.09, 250],
    passive: [0.8, 0.14, 152],
    smallest: [0.88, 0.13, 90],
    largest: [0.74, 0.16, 48],
    allIn: [0.64, 0.18, 25],
  },
};

const FIXED = {
  "okabe-ito": {
    fold: "#0072b2",
    passive: "#009e73",
    bets: ["#f0e442", "#e69f00", "#d55e00"],
    allIn: "#cc79a7",
  },
};

// Each differs from the page by 3 to 1 and from the letters on it by 4.5 to 1; a test counts.
export const CONTRAST = {
  light: { fold: "#3f8af5", passive: "#8c8c8c", bets: ["#a88804", "#e76306", "#f15656"], allIn: "#c85bed" },
  dark: { fold: "#0c62dc", passive: "#696969", bets: ["#7f6603", "#ae4b04", "#d21111"], allIn: "#a918d9" },
};

const oklch = ([lightness, chroma, hue]) =>
  `oklch(${lightness.toFixed(3)} ${chroma.toFixed(3)} ${hue.toFixed(1)})`;

const between = (low, high, share) => low.map((value, i) => value + share * (high[i] - value));

/** Which of the bets and raises an action is, by size: its rank and how many there are. */
function betRanks(actions) {
  const bets = actions
    .map((action, index) => ({ index, kind: action.kind, amount: action.amount }))
    .filter(({ kind }) => kind === "bet" || kind === "raise")
    .sort((a, b) => a.amount - b.amount);
  return new Map(bets.map(({ index }, rank) => [index, { rank, count: bets.length }]));
}

/** One CSS colour per action. */
export function actionColours(actions, palette = "classic", theme = "dark") {
  const ranks = betRanks(actions);
  return actions.map((action, index) => {
    const share = ranks.has(index) ? betShare(ranks.get(index)) : 0;
    if (palette === "classic") return classicColour(CLASSIC[theme], action.kind, share);
    if (palette === "contrast") return pickColour(CONTRAST[theme], action.kind, share);
    return fixedColour(FIXED[palette], action.kind, share, theme);
  });
}

const betShare = ({ rank, count }) => (count > 1 ? rank / (count - 1) : 0.4);

function classicColour(colours, kind, share) {
  if (kind === "fold") return oklch(colours.fold);
  if (kind === "check" || kind === "call") return oklch(colours.passive);
  if (kind === "all_in") return oklch(colours.allIn);
  return oklch(between(colours.smallest, colours.largest, share));
}

function fixedColour(colours, kind, share, theme) {
  const tuned = (colour) =>
    theme === "light"
      ? `color-mix(in oklab, ${colour} 72%, white)`
      : `color-mix(in oklab, ${colour} 74%, black)`;
  return tuned(pickColour(colours, kind, share));
}

function pickColour(colours, kind, share) {
  if (kind === "fold") return colours.fold;
  if (kind === "check" || kind === "call") return colours.passive;
  if (kind === "all_in") return colours.allIn;
  return colours.bets[Math.min(2, Math.round(share * 2))];
}

/** The class of an action's hatching: colour never stands alone. */
export function hatchOf(action) {
  return `hatch-${action.kind.replace("_", "-")}`;
}

/** From dark blue to light yellow, lightness rising evenly, for 0 to 1. */
export function sequential(share, theme = "dark") {
  const at = Math.min(1, Math.max(0, share));
  const [low, high] =
    theme === "dark"
      ? [
          [0.26, 0.08, 280],
          [0.62, 0.15, 140],
        ]
      : [
          [0.93, 0.03, 250],
          [0.72, 0.16, 145],
        ];
  return oklch(between(low, high, at));
}

/** The colour of a card by a share of 0 to 1: letters can be read on each. */
export function heat(share, theme = "dark") {
  const [low, high] =
    theme === "dark"
      ? [
          [0.24, 0.03, 280],
          [0.46, 0.11, 145],
        ]
      : [
          [0.98, 0.01, 250],
          [0.8, 0.14, 145],
        ];
  return oklch(between(low, high, Math.min(1, Math.max(0, share))));
}

/** One colour for how much of a hand gets here, unlike any action's. */
export const reachColour = (theme = "dark") => oklch(theme === "dark" ? [0.52, 0.1, 300] : [0.8, 0.08, 300]);

/** From red over grey to green, for -1 to 1. */
export function diverging(share, theme = "dark") {
  const at = Math.min(1, Math.max(-1, share));
  const middle = theme === "dark" ? [0.3, 0, 250] : [0.95, 0, 250];
  const end =
    at < 0
      ? theme === "dark"
        ? [0.5, 0.17, 25]
        : [0.74, 0.14, 25]
      : theme === "dark"
        ? [0.55, 0.15, 150]
        : [0.78, 0.15, 150];
  const [lightness, chroma] = between(middle, end, Math.abs(at));
  return oklch([lightness, chroma, end[2]]);
}
