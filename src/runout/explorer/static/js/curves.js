// Distributions of a range: sorted values against the share of the range, as points. Pure.
import { heldBy } from "./node_math.js";
import { isKnown } from "./format.js";

/** Points [share of the range, value], shares rising from 0 to 1 and values rising. */
export function distribution(node, player, values, factors = null) {
  const { deals } = heldBy(node, player, factors);
  const pairs = values
    .map((value, i) => [value, deals[i]])
    .filter(([value, deal]) => isKnown(value) && deal > 0)
    .sort((a, b) => a[0] - b[0]);
  const total = pairs.reduce((sum, [, deal]) => sum + deal, 0);
  const points = [];
  let done = 0;
  for (const [value, deal] of pairs) {
    points.push([done / total, value]);
    done += deal;
    points.push([done / total, value]);
  }
  return points;
}

/** The value of a curve at a share. */
export function valueAt(points, share) {
  for (const [at, value] of points) if (at >= share) return value;
  return points.length ? points.at(-1)[1] : null;
}

/** Points as the path of an SVG, in a box of 0 to width and 0 to height, y upwards. */
export function svgPath(points, [low, high], width, height) {
  const span = high - low || 1;
  return points
    .map(([x, y], i) => {
      const [px, py] = [x * width, height - ((y - low) / span) * height];
      return `${i ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`;
    })
    .join("");
}

/** Round numbers from low to high, a few of them. */
export function ticks(low, high, count = 4) {
  const raw = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((factor) => raw <= factor * power) || 10);
  const first = Math.ceil(low / step);
  const found = [];
  for (let i = first; i * step <= high + 1e-9 * step; i += 1) found.push(Number((i * step).toPrecision(12)));
  return found;
}

/** Round numbers of a logarithmic axis from low to high: 1, 2 and 5 of each decade, or 1 only. */
export function decades(low, high) {
  const powers = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1)
    powers.push(power);
  const steps = powers.length > 4 ? [1] : powers.length > 2 ? [1, 3] : [1, 2, 5];
  const marks = powers.flatMap((power) => steps.map((step) => Number(`${step}e${power}`)));
  const inside = marks.filter((mark) => mark >= low * 0.999 && mark <= high * 1.001);
  return inside.length > 1 ? inside : [Number(low.toPrecision(2)), Number(high.toPrecision(2))];
}
