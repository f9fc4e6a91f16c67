// A solve: how far it is, its curve, what is left, and what can be done with it.
import { CurveChart } from "../charts.js";
import { decades } from "../curves.js";
import { timeLeft } from "../draft.js";
import { duration, percent } from "../format.js";
import { html } from "../html.js";
import { solveFurther, startAgain, stopJob } from "../jobs.js";
import { TEXT } from "../strings.js";
import { STUDY } from "../strings_study.js";
import { go, say } from "../store.js";
import { DEFAULTS } from "../url_state.js";

export function Job({ job, isShort = false }) {
  const last = job.curve.at(-1);
  const isRunning = job.state === "running";
  const left = isRunning ? timeLeft(job.curve, job.seconds, job.iteration, job.target) : null;
  return html`<div class="job" role="status">
    <p>
      <b>${TEXT.toFlop[job.state] || STUDY[job.state] || job.state}</b> <span>${job.name}</span>
      ${job.iteration > 0 && html`<span>${job.iteration} ${TEXT.trust.iterations}</span>`}
      ${last && html`<span>${TEXT.trust.exploitability} ${percent(last[1], 2)} of the pot${job.target ? `, target ${percent(job.target, 2)}` : ""}</span>`}
      <span>${duration(job.seconds)}</span>
      ${left && html`<span>${STUDY.timeLeft(...left.map((seconds) => duration(Math.round(seconds), 0)))}</span>`}
      ${job.state === "stopped" && !job.is_over && html`<span>${TEXT.toFlop.saving}</span>`}
      ${!job.is_over && job.state !== "stopped" && html`<button onClick=${() => stopJob(job)}>${TEXT.toFlop.stop}</button>`}
      ${job.is_over && job.state !== "done" && html`<button onClick=${() => again(() => startAgain(job))}>${STUDY.resume}</button>`}
      ${job.run && html`<button class="primary" onClick=${() => go({ view: "spot", run: job.run, params: { ...DEFAULTS } })}>${TEXT.toFlop.open}</button>`}
      ${job.run && job.is_over && html`<${Further} run=${job.run} reached=${last?.[1]} />`}
    </p>
    ${!isShort && html`<${ExploitabilityCurve} curve=${job.curve} title=${`${TEXT.trust.curve}, ${TEXT.unitPot}`} />`}
    ${job.message && html`<pre>${job.message}</pre>`}
  </div>`;
}

const again = (start) => start().catch((error) => say(`${error.where}: ${error.problem}`));

/** A button that solves on to half of what was reached, or to another target. */
export function Further({ run, reached }) {
  const next = reached ? `${Number((50 * reached).toPrecision(1))}%` : "0.2%";
  return html`<form
    class="further"
    onSubmit=${(event) => {
      event.preventDefault();
      const target = new FormData(event.target).get("target").trim();
      again(() => solveFurther(run, target));
    }}
  >
    <button>${STUDY.further}</button>
    <label>${STUDY.furtherTo} <input name="target" size="6" value=${next} maxlength="20" /></label>
  </form>`;
}

/** Exploitability by iteration, both in logarithms: a straight line is a power of the iterations. */
export function ExploitabilityCurve({ curve, title, format = (value) => `${Number((100 * value).toPrecision(2))} %` }) {
  const points = curve.filter(([iteration, value]) => iteration > 0 && value > 0);
  if (points.length < 2) return null;
  const [first, last] = [Math.log(points[0][0]), Math.log(points.at(-1)[0])];
  const values = points.map(([, value]) => value);
  const marks = decades(Math.min(...values), Math.max(...values));
  const logs = [...values, ...marks].map(Math.log10);
  const drawn = points.map(([n, value]) => [(Math.log(n) - first) / (last - first || 1), Math.log10(value)]);
  return html`<${CurveChart}
    title=${title}
    curves=${[{ name: TEXT.trust.exploitability, className: "player-0", points: drawn }]}
    range=${[Math.min(...logs), Math.max(...logs)]}
    marks=${marks.map(Math.log10)}
    format=${(power) => format(10 ** power)}
    formatX=${(at) => Math.round(Math.exp(first + at * (last - first))).toLocaleString("en")}
    xLabel=${TEXT.trust.iterations}
  />`;
}
