// Filters as chips: what is on, and what can be added.
import { CLEARED, filtersOf, hasFilters } from "../filters.js";
import { html } from "../html.js";
import { SUITS, SUIT_NAMES, SUIT_SIGNS } from "../hands.js";
import { TEXT } from "../strings.js";
import { change, state } from "../store.js";
import { toggled } from "../url_state.js";

/** The name of a class for people. */
export const className = (name) => name.replaceAll("-", " ");

export function FilterBar({ shown }) {
  const { params } = state.address;
  const filters = filtersOf(params);
  const { node, classes } = shown;
  if (node.hand_space !== "combos" && !hasFilters(filters)) return null;
  const names = classes ? [...classes.made_names.slice(1), ...classes.draw_names] : [];
  return html`<div class="filters" role="group" aria-label=${TEXT.filters}>
    ${filters.actions.map((code) => html`<${Chip} label=${labelOf(node, code)} onClick=${() => change({ a: toggled(params.a, code) }, true)} />`)}
    ${filters.include.map((name) => html`<${Chip} label=${`${TEXT.include} ${className(name)}`} onClick=${() => flip(name)} />`)}
    ${filters.exclude.map((name) => html`<${Chip} label=${`${TEXT.exclude} ${className(name)}`} onClick=${() => change({ x: toggled(params.x, name) }, true)} />`)}
    ${filters.equity && html`<${Chip} label=${`${TEXT.equityBand} ${params.q} %`} onClick=${() => change({ q: "" }, true)} />`}
    ${
      node.hand_space === "combos" &&
      html`<span class="suit-filter" role="group" aria-label=${TEXT.suits}>
        ${[...SUITS]
          .reverse()
          .map(
            (suit) =>
              html`<button
                class=${`suit suit-${suit}`}
                aria-pressed=${filters.suits.includes(suit)}
                aria-label=${`${TEXT.suits} ${SUIT_NAMES[suit]}`}
                onClick=${() => change({ s: toggleSuit(params.s, suit) }, true)}
              >
                ${SUIT_SIGNS[suit]}
              </button>`,
          )}
      </span>`
    }
    ${
      names.length > 0 &&
      html`<label
        ><span class="visually-hidden">${TEXT.addClass}</span>
        <select
          value=""
          onChange=${(event) => {
            if (event.target.value) change({ f: toggled(params.f, event.target.value) }, true);
            event.target.value = "";
          }}
        >
          <option value="">+ ${TEXT.addClass}</option>
          ${names.map((name) => html`<option value=${name}>${className(name)}</option>`)}
        </select></label
      >`
    }
    ${hasFilters(filters) && html`<button class="clear" onClick=${() => change(CLEARED, true)} title="P">${TEXT.clear}</button>`}
  </div>`;

  // A class that is in goes out, and then away.
  function flip(name) {
    change({ f: toggled(params.f, name), x: toggled(params.x, name) }, true);
  }
}

function Chip({ label, onClick }) {
  return html`<button class="chip" onClick=${onClick}>${label} <span aria-hidden="true">×</span></button>`;
}

const labelOf = (node, code) =>
  node.actions.find((action) => action.code.split("+").includes(code) || action.code === code)?.label || code;

const toggleSuit = (suits, suit) => (suits.includes(suit) ? suits.replace(suit, "") : suits + suit);
