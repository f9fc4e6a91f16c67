// The actions of a decision: bar, frequency, combos, EV; each is a filter and leads on.
import { hatchOf } from "../colours.js";
import { html } from "../html.js";
import { combos, percent, worth } from "../format.js";
import { joinPath } from "../paths.js";
import { Deck } from "../tabs/runouts.js";
import { ToFlop } from "../tabs/to_flop.js";
import { TEXT } from "../strings.js";
import { change, goToNode, state } from "../store.js";
import { splitList, toggled } from "../url_state.js";

export function ActionsPanel({ shown }) {
  const { node, player, totals, colours } = shown;
  const { params } = state.address;
  const of = shown.factors ? `${TEXT.filtered} ${percent(totals.share)}` : TEXT.whole;
  return html`<section class="panel actions" aria-label=${TEXT.actions}>
    <${Players} shown=${shown} label=${of} />
    ${
      player === node.actor &&
      node.actions.length > 0 &&
      html`<table>
        <thead>
          <tr>
            <th scope="col">
              ${TEXT.actions}
              <label class="check"
                ><input
                  type="checkbox"
                  checked=${Boolean(params.g)}
                  onChange=${() => change({ g: params.g ? "" : "1", a: "" }, true)}
                />
                ${TEXT.group}</label
              >
            </th>
            <th scope="col" class="number">${TEXT.frequency}</th>
            <th scope="col" class="number">${TEXT.combos}</th>
            <th scope="col" class="number" title=${TEXT.evHelp}>${TEXT.ev}</th>
            <th scope="col"><span class="visually-hidden">${TEXT.follow}</span></th>
          </tr>
        </thead>
        <tbody>
          ${node.actions.map(
            (action, i) =>
              html`<${ActionRow}
                key=${action.code}
                action=${action}
                colour=${colours[i]}
                total=${totals.actions[i]}
                node=${node}
                unit=${params.u}
                chosen=${splitList(params.a)}
              />`,
          )}
        </tbody>
      </table>`
    }
    ${node.actor === null && html`<p class="muted">${TEXT.nobodyActs[node.kind]}</p>`}
    ${node.kind === "flop" && state.address.view !== "diff" && html`<${ToFlop} node=${node} />`}
    ${node.kind === "chance" && state.address.params.tab !== "runouts" && html`<${Deck} rows=${cardRows(node)} chosen="" />`}
  </section>`;
}

function ActionRow({ action, colour, total, node, unit, chosen }) {
  const isChosen = chosen.includes(action.code);
  const isOne = !action.code.includes("+");
  return html`<tr class=${isChosen ? "chosen" : ""}>
    <th scope="row">
      <button
        class="action"
        aria-pressed=${isChosen}
        title=${`${TEXT.filterBy} ${action.label}`}
        onClick=${() => change({ a: toggled(state.address.params.a, action.code) }, true)}
      >
        <span class=${`swatch ${hatchOf(action)}`} style=${{ background: colour }}></span>${action.label}
      </button>
    </th>
    <td class="number">
      <span class="meter" style=${{ "--share": `${100 * (total.frequency || 0)}%`, "--action": colour }}
        >${percent(total.frequency)}</span
      >
    </td>
    <td class="number">${combos(total.combos)}</td>
    <td class="number">${worth(total.ev, node, unit)}</td>
    <td>
      ${
        isOne &&
        html`<button
          class="go"
          aria-label=${`${TEXT.follow} ${action.label}`}
          onClick=${() => goToNode(joinPath(node.path, action.code))}
        >
          →
        </button>`
      }
    </td>
  </tr>`;
}

// Cards of which nothing is known yet but where they lead to.
const cardRows = (node) =>
  node.cards.map((card) => ({ card, path: joinPath(node.path, card), range_equity: [null, null] }));

/** Both players' ranges in one line each: EV, equity, EQR, combos. */
function Players({ shown, label }) {
  const { node, player, totals } = shown;
  const { u } = state.address.params;
  return html`<table class="players">
    <thead>
      <tr>
        <th scope="col"><span class="visually-hidden">player</span></th>
        ${[TEXT.ev, TEXT.eq, TEXT.eqr, TEXT.combos].map((name) => html`<th scope="col" class="number">${name}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${node.players.map(
        (name, number) =>
          html`<tr class=${number === player ? "shown" : ""}>
            <th scope="row">${name}</th>
            <td class="number">${worth(node.range_ev[number], node, u)}</td>
            <td class="number">${percent(node.range_equity[number])}</td>
            <td class="number">${node.eqr[number] === null ? "\u2013" : node.eqr[number].toFixed(2)}</td>
            <td class="number">${combos(node.combos[number])}</td>
          </tr>`,
      )}
      ${
        shown.factors &&
        html`<tr class="filtered">
          <th scope="row">${label}</th>
          <td class="number">${worth(totals.ev, node, u)}</td>
          <td class="number">${percent(totals.equity)}</td>
          <td class="number">${totals.eqr === null ? "\u2013" : totals.eqr.toFixed(2)}</td>
          <td class="number">${combos(totals.combos)}</td>
        </tr>`
      }
    </tbody>
  </table>`;
}
