// All solutions that were found.
import { html } from "../html.js";
import { bytes } from "../format.js";
import { describeQuality, follow } from "../parts/header.js";
import { TEXT } from "../strings.js";
import { linkTo, set, state } from "../store.js";
import { DEFAULTS, viewOfKind } from "../url_state.js";

export function Home() {
  const { runs } = state;
  if (!runs) return html`<main class="home"><p class="muted">${TEXT.loading}</p></main>`;
  const filter = (state.filter || "").toLowerCase();
  const found = runs.filter((run) => `${run.name} ${run.title}`.toLowerCase().includes(filter));
  return html`<main class="home">
    <h1>${TEXT.home}</h1>
    ${runs.length > 8 && html`<label>${TEXT.search} <input type="search" onInput=${(event) => set({ filter: event.target.value })} /></label>`}
    ${
      runs.length === 0 &&
      html`<p>${TEXT.noRuns}</p>
        <p>${TEXT.howToSolve}</p>
        <pre><code>runout solve-spot -c configs/spot_river.yaml -o runs/river</code></pre>`
    }
    <ul class="runs">
      ${found.map((run) => html`<${Run} key=${run.id} run=${run} runs=${runs} />`)}
    </ul>
  </main>`;
}

function Run({ run, runs }) {
  const address = { view: viewOfKind(run.kind), run: run.id, params: { ...DEFAULTS } };
  const quality = describeQuality(run.quality);
  const partners = runs.filter(
    (other) => other.id !== run.id && other.kind === run.kind && !other.problem && viewOfKind(run.kind) !== "flops",
  );
  return html`<li class=${run.problem ? "broken" : ""}>
    <span class=${`badge kind-${run.kind}`}>${TEXT.kinds[run.kind] || run.kind}</span>
    ${run.problem ? html`<span class="name">${run.name}</span>` : html`<a class="name" href=${linkTo(address)} onClick=${follow(address)}>${run.name}</a>`}
    <span class="title">${run.problem ? `${TEXT.damaged}: ${run.problem}` : run.title}</span>
    ${quality && html`<span class=${`quality ${quality.isPoor ? "poor" : ""}`}>${quality.text}</span>`}
    <span class="muted">${run.date.slice(0, 10)}, ${bytes(run.size_bytes)}</span>
    ${
      partners.length > 0 &&
      !run.problem &&
      html`<label class="compare"
        >${TEXT.diff.pick}
        <select
          onChange=${(event) => {
            const b = event.target.value;
            if (b) follow({ view: "diff", run: run.id, params: { ...DEFAULTS, b } })(event);
          }}
        >
          <option value="">…</option>
          ${partners.map((other) => html`<option value=${other.id}>${other.name}</option>`)}
        </select></label
      >`
    }
  </li>`;
}
