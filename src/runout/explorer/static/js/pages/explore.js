// A node: ribbon, matrix, actions, tabs.
import { html } from "../html.js";
import { TABS } from "../keys.js";
import { ActionsPanel } from "../parts/actions_panel.js";
import { LockPanel } from "../parts/lock_panel.js";
import { FilterBar } from "../parts/filter_bar.js";
import { Matrix } from "../parts/matrix.js";
import { Legend, MatrixBar } from "../parts/matrix_bar.js";
import { Ribbon } from "../parts/ribbon.js";
import { BreakdownTab } from "../tabs/breakdown.js";
import { HandsTab } from "../tabs/hands.js";
import { LinesTab } from "../tabs/lines.js";
import { RangesTab } from "../tabs/ranges.js";
import { RunoutsTab } from "../tabs/runouts.js";
import { TrustTab } from "../tabs/trust.js";
import { TEXT } from "../strings.js";
import { change, state } from "../store.js";

export function ExplorePage({ shown }) {
  return html`<main class="explorer">
    <h1 class="visually-hidden">${state.facts.name} ${shown.node.path}</h1>
    <${Ribbon} />
    <div class="two-columns">
      <section class="left" aria-label="matrix">
        <${MatrixBar} shown=${shown} />
        <${FilterBar} shown=${shown} />
        <${Matrix} shown=${shown} />
        <${Legend} shown=${shown} />
      </section>
      <section class="right" aria-label="details">
        <${ActionsPanel} shown=${shown} />
        <${LockPanel} shown=${shown} />
        <div class="panel">
          <div class="tabs" role="tablist">
            ${TABS.map(
              (tab, i) =>
                html`<button
                  role="tab"
                  id=${`tab-${tab}`}
                  aria-controls="tab-panel"
                  aria-selected=${tab === state.address.params.tab}
                  tabindex=${tab === state.address.params.tab ? 0 : -1}
                  onClick=${() => change({ tab })}
                  onKeyDown=${moveTab}
                >
                  <small aria-hidden="true">${i + 1}</small> ${labelOf(tab, shown)}
                </button>`,
            )}
          </div>
          <div id="tab-panel" role="tabpanel" aria-labelledby=${`tab-${state.address.params.tab}`}>
            <${Tab} shown=${shown} />
          </div>
        </div>
      </section>
    </div>
  </main>`;
}

const labelOf = (tab, shown) => (tab === "runouts" && !shown.node.board ? TEXT.tabs.lines : TEXT.tabs[tab]);

function Tab({ shown }) {
  switch (state.address.params.tab) {
    case "ranges":
      return html`<${RangesTab} shown=${shown} />`;
    case "breakdown":
      return html`<${BreakdownTab} shown=${shown} />`;
    case "runouts":
      return shown.node.board ? html`<${RunoutsTab} shown=${shown} />` : html`<${LinesTab} shown=${shown} />`;
    case "trust":
      return html`<${TrustTab} node=${shown.node} />`;
    default:
      return html`<${HandsTab} shown=${shown} />`;
  }
}

function moveTab(event) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const next = TABS[(TABS.indexOf(state.address.params.tab) + step + TABS.length) % TABS.length];
  change({ tab: next });
  document.getElementById(`tab-${next}`)?.focus();
}
