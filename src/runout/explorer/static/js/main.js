// The page: draws what the store knows, and tells it what the browser does.
import { isStatic } from "./api.js";
import { html, render } from "./html.js";
import { watchJobs } from "./jobs.js";
import { onKey } from "./keys.js";
import { DiffPage } from "./pages/diff.js";
import { DrillPage } from "./pages/drill.js";
import { ExplorePage } from "./pages/explore.js";
import { FlopsPage } from "./pages/flops.js";
import { Home } from "./pages/home.js";
import { NewSpotPage } from "./pages/new_spot.js";
import { Header } from "./parts/header.js";
import { Overlay } from "./parts/overlays.js";
import { shownOf } from "./shown.js";
import { arriveFromBrowser, reload, set, state, subscribe, themeOf } from "./store.js";
import { TEXT } from "./strings.js";

const root = document.getElementById("app");

function App() {
  const shown = shownOf(state);
  return html`<${Header} />
    ${state.notice && html`<${Notice} notice=${state.notice} />`} ${state.problem ? html`<${Problem} problem=${state.problem} />` : html`<${Page} shown=${shown} />`}
    <${Overlay} shown=${shown} />
    <div class="message" role="status">${state.message}</div>`;
}

function Page({ shown }) {
  switch (state.address.view) {
    case "home":
      return html`<${Home} />`;
    case "drill":
      return html`<${DrillPage} />`;
    case "new":
      return html`<${NewSpotPage} />`;
    case "flops":
      return html`<${FlopsPage} />`;
    case "diff":
      return html`<${DiffPage} />`;
    default:
      return shown && state.facts
        ? html`<${ExplorePage} shown=${shown} />`
        : html`<main><p class="muted">${TEXT.loading}</p></main>`;
  }
}

function wordsOf(problem) {
  if (isStatic() && problem.status === 404) return TEXT.leftOut;
  if (problem.status === 0) return TEXT.offline;
  return [problem.where, problem.problem].filter((part) => part).join(": ") || TEXT.lost;
}

/** Why a step could not be taken; what was on stays. */
function Notice({ notice }) {
  return html`<div class="notice" role="alert">
    <span>${wordsOf(notice)}</span>
    <button onClick=${() => set({ notice: null })}>${TEXT.close}</button>
  </div>`;
}

function Problem({ problem }) {
  return html`<main>
    <div class="problem" role="alert">
      <p>${wordsOf(problem)}</p>
      <button class="primary" onClick=${reload}>${TEXT.retry}</button>
    </div>
  </main>`;
}

function draw() {
  if (state.marks?.can_edit && state.jobs === null) {
    state.jobs = [];
    watchJobs();
  }
  const html_ = document.documentElement;
  html_.dataset.theme = themeOf(state.settings);
  html_.dataset.palette = state.settings.palette;
  html_.classList.toggle("hatching", state.settings.hatching);
  document.title = [state.facts?.name, TEXT.title].filter((part) => part).join(" \u00b7 ");
  render(html`<${App} />`, root);
}

subscribe(draw);
window.addEventListener("popstate", arriveFromBrowser);
window.addEventListener("keydown", onKey);
window.matchMedia("(prefers-color-scheme: light)").addEventListener("change", draw);
draw();
arriveFromBrowser();
