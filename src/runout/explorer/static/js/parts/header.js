// The top line: which solution, how well it is solved, and what can be set.
import { PALETTES } from "../colours.js";
import { html } from "../html.js";
import { percent } from "../format.js";
import { openDraft } from "../draft_store.js";
import { TEXT } from "../strings.js";
import { STUDY } from "../strings_study.js";
import { change, choose, go, linkTo, set, state, themeOf } from "../store.js";
import { DEFAULTS, viewOfKind } from "../url_state.js";

const HOME = { view: "home", run: "", params: { ...DEFAULTS } };

/** The exploitability in words, with real cards if it is known, and whether it is to be minded. */
export function describeQuality(quality) {
  if (!quality) return null;
  const isPot = quality.unit === "pot";
  const inWords = (value) => (isPot ? `${percent(value, 2)} of the pot` : `${Number(value.toPrecision(2))} mbb`);
  const isUnknown = quality.real_exploitability === null;
  const own = `${inWords(quality.exploitability)}, ${quality.meaning}`;
  const text = isUnknown ? own : inWords(quality.real_exploitability);
  return { text, own, isPoor: !quality.trusted, isRough: quality.rough, isUnknown, isPot };
}

export function Header() {
  const { address, facts, runs, settings } = state;
  const quality = facts && describeQuality(facts.quality);
  return html`<header class="top">
    <a class="logo" href=${linkTo(HOME)} onClick=${follow(HOME)}>
      <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
        <path
          d="M4 5h4v4H4zm6 0h4v4h-4zm6 0h4v4h-4zM4 11h4v4H4zm6 0h4v4h-4zm-6 6h4v4H4z"
          fill="currentColor"
        />
      </svg>
      ${TEXT.title}
    </a>
    ${
      address.view !== "home" &&
      address.view !== "new" &&
      runs &&
      html`<label class="run-choice">
        <span class="visually-hidden">${TEXT.home}</span>
        <select value=${address.run} onChange=${(event) => openRun(event.target.value)}>
          ${facts && !runs.some((run) => run.id === address.run) && html`<option value=${address.run} selected>${facts.name}</option>`}
          ${runs.map((run) => html`<option value=${run.id} selected=${run.id === address.run} disabled=${Boolean(run.problem)}>${run.name}</option>`)}
        </select>
      </label>`
    }
    ${facts && html`<span class="run-title">${facts.title}</span>`}
    ${
      quality &&
      html`<button
        class=${`quality ${quality.isPoor ? "poor" : ""}`}
        title=${quality.isUnknown ? facts.quality.explanation : TEXT.trust.measured}
        onClick=${() => change({ tab: "trust" })}
      >
        ${quality.isPoor ? "\u26a0 " : ""}${TEXT.trust.exploitability} ${quality.text}
      </button>`
    }
    <span class="spacer"></span>
    ${
      state.node?.actor !== undefined &&
      state.node?.actor !== null &&
      ["spot", "preflop"].includes(address.view) &&
      html`<button onClick=${() => go({ view: "drill", run: address.run, params: { ...DEFAULTS, n: state.node.path } })}>${STUDY.drill.open}</button>`
    }
    ${facts?.spot && state.marks?.can_edit && html`<button onClick=${() => openDraft(facts.spot)}>${STUDY.duplicate}</button>`}
    ${state.marks?.can_edit && address.view !== "new" && html`<button class="primary" onClick=${() => openDraft()}>${STUDY.newSpot}</button>`}
    ${state.isLoading && html`<span class="muted" role="status">${TEXT.loading}</span>`}
    <label class="setting"
      ><span class="visually-hidden">${TEXT.palette}</span>
      <select value=${settings.palette} onChange=${(event) => choose({ palette: event.target.value })}>
        ${PALETTES.map((name) => html`<option value=${name} selected=${name === settings.palette}>${TEXT.palettes[name]}</option>`)}
      </select>
    </label>
    <button
      class="icon"
      aria-pressed=${settings.hatching}
      title=${TEXT.hatching}
      aria-label=${TEXT.hatching}
      onClick=${() => choose({ hatching: !settings.hatching })}
    >
      ▨
    </button>
    <button
      class="icon"
      title=${TEXT.theme}
      aria-label=${TEXT.theme}
      onClick=${() => choose({ theme: themeOf(settings) === "dark" ? "light" : "dark" })}
    >
      ◑
    </button>
    ${state.node && html`<button class="icon wide" onClick=${() => set({ overlay: "export" })}>${TEXT.exports}</button>`}
    <button class="icon" title=${TEXT.help} aria-label=${TEXT.help} onClick=${() => set({ overlay: "help" })}>
      ?
    </button>
  </header>`;
}

function openRun(id) {
  const run = state.runs.find((other) => other.id === id);
  if (!run) return; // the one that is open, a flop of a report
  go({ view: viewOfKind(run.kind), run: id, params: { ...DEFAULTS } });
}

/** A handler that goes to an address without loading the page again. */
export function follow(address) {
  return (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(address);
  };
}
