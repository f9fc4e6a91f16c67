// Small drawings as SVG: curves with a crosshair, stacked bars.
import { html } from "./html.js";
import { svgPath, ticks } from "./curves.js";
import { TEXT } from "./strings.js";

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [420, 190, 56, 22];

/**
 * Curves over 0 to 1 with their names; a click or drag puts the crosshair.
 *
 * @param curves {name, points, className} each
 */
export function CurveChart({ title, curves, range, marks, format, xLabel, formatX }) {
  if (!curves.some((curve) => curve.points.length)) {
    return html`<figure class="chart">
      <figcaption>${title}</figcaption>
      <p class="muted">${TEXT.noValues}</p>
    </figure>`;
  }
  const [low, high] = range || rangeOf(curves);
  const y = (value) => HEIGHT - ((value - low) / (high - low || 1)) * HEIGHT;
  return html`<figure class="chart">
    <figcaption>${title}</figcaption>
    <svg
      viewBox="${-LEFT} -8 ${WIDTH + LEFT + 12} ${HEIGHT + BOTTOM + 18}"
      role="img"
      aria-label=${title}
      onPointerMove=${moveCrosshair}
      onPointerLeave=${hideCrosshair}
    >
      ${(marks || ticks(low, high)).map(
        (tick) =>
          html`<g class="tick"
            ><line x1="0" x2=${WIDTH} y1=${y(tick)} y2=${y(tick)} />
            <text x="-6" y=${y(tick) + 4} text-anchor="end">${format(tick)}</text></g
          >`,
      )}
      ${[0, 0.25, 0.5, 0.75, 1].map(
        (at) =>
          html`<text class="tick" x=${at * WIDTH} y=${HEIGHT + 16} text-anchor=${at === 0 ? "start" : at === 1 ? "end" : "middle"}
            >${formatX(at)}</text
          >`,
      )}
      ${curves.map((curve) => html`<path class=${`curve ${curve.className}`} d=${svgPath(curve.points, [low, high], WIDTH, HEIGHT)} />`)}
      <line class="crosshair" y1="0" y2=${HEIGHT} x1="-100" x2="-100" />
      <text class="crosshair-text" x="8" y="10"></text>
    </svg>
    <div class="chart-names">
      ${curves.map((curve) => html`<span class=${`chart-name ${curve.className}`}>${curve.name}</span>`)}
      <span class="muted">${xLabel}</span>
    </div>
  </figure>`;

  function moveCrosshair(event) {
    const svg = event.currentTarget;
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * (WIDTH + LEFT + 12) - LEFT;
    const at = Math.min(1, Math.max(0, x / WIDTH));
    const line = svg.querySelector(".crosshair");
    line.setAttribute("x1", at * WIDTH);
    line.setAttribute("x2", at * WIDTH);
    const values = curves.map((curve) => `${curve.name} ${format(nearest(curve.points, at))}`);
    svg.querySelector(".crosshair-text").textContent = `${formatX(at)}: ${values.join(", ")}`;
  }

  function hideCrosshair(event) {
    const line = event.currentTarget.querySelector(".crosshair");
    line.setAttribute("x1", -100);
    line.setAttribute("x2", -100);
    event.currentTarget.querySelector(".crosshair-text").textContent = "";
  }
}

function nearest(points, at) {
  for (const [x, value] of points) if (x >= at) return value;
  return points.length ? points.at(-1)[1] : null;
}

function rangeOf(curves) {
  const values = curves.flatMap((curve) => curve.points.map((point) => point[1]));
  return values.length ? [Math.min(...values), Math.max(...values)] : [0, 1];
}

/** One horizontal bar of shares in colours. */
export function StackedBar({ shares, colours, hatches = [], label }) {
  return html`<span class="stack" role="img" aria-label=${label}>
    ${shares.map((share, i) =>
      share > 0
        ? html`<span
            class=${hatches[i] || ""}
            style=${{ width: `${100 * share}%`, background: colours[i] }}
          ></span>`
        : null,
    )}
  </span>`;
}
