// All cards that can come, or could have come: bars and a table, and a deck to pick from.
import { StackedBar } from "../charts.js";
import { actionColours, hatchOf, sequential } from "../colours.js";
import { RANKS, SUITS, SUIT_NAMES, SUIT_SIGNS } from "../hands.js";
import { html } from "../html.js";
import { NONE, isKnown, percent, worth } from "../format.js";
import { CardFace } from "../parts/ribbon.js";
import { SortableTable } from "../parts/sortable.js";
import { TEXT } from "../strings.js";
import { change, goToNode, state, themeOf } from "../store.js";

export function RunoutsTab({ shown }) {
  const { cards } = state;
  const { w } = state.address.params;
  if (!cards) return html`<p class="muted">${state.isLoading ? TEXT.loading : TEXT.leftOut}</p>`;
  if (!cards.rows.length) return html`<p class="muted">${cards.note}</p>`;
  return html`<div class="runouts-tab">
    <${Deck} rows=${cards.rows} chosen=${cards.chosen} />
    <p class="buttons">
      <span class="muted">${TEXT.deckHelp(shown.node.players[0])}</span
      ><button aria-pressed=${Boolean(w)} onClick=${() => change({ w: w ? "" : "1" }, true)}>
        ${w ? TEXT.chart : TEXT.table}
      </button>
    </p>
    ${w ? html`<${CardTable} rows=${cards.rows} node=${shown.node} />` : html`<${CardBars} rows=${cards.rows} node=${shown.node} />`}
  </div>`;
}

/** The deck, shaded by the equity of the first player. */
export function Deck({ rows, chosen }) {
  const byCard = new Map(rows.map((row) => [row.card, row]));
  const theme = themeOf(state.settings);
  const equities = rows.map((row) => row.range_equity[0]).filter(isKnown);
  const [low, high] = [Math.min(...equities), Math.max(...equities)];
  return html`<div class="deck" role="group" aria-label=${TEXT.chooseCard}>
    ${[...SUITS].reverse().flatMap((suit) =>
      [...RANKS].map((rank) => {
        const row = byCard.get(rank + suit);
        const share =
          row && isKnown(row.range_equity[0]) ? (row.range_equity[0] - low) / (high - low || 1) : null;
        return html`<button
          class=${`suit-${suit}`}
          disabled=${!row}
          aria-pressed=${rank + suit === chosen}
          aria-label=${`${rank} of ${SUIT_NAMES[suit]}`}
          style=${share === null ? {} : { borderBottomColor: sequential(share, theme) }}
          onClick=${() => goToNode(row.path)}
        >
          ${rank}${SUIT_SIGNS[suit]}
        </button>`;
      }),
    )}
  </div>`;
}

function actionsOf(rows) {
  return rows.find((row) => row.actions.length)?.actions || [];
}

function CardBars({ rows, node }) {
  const { settings } = state;
  const { u } = state.address.params;
  const order = [...RANKS];
  const ordered = [...rows].sort(
    (a, b) =>
      order.indexOf(a.card[0]) - order.indexOf(b.card[0]) ||
      SUITS.indexOf(b.card[1]) - SUITS.indexOf(a.card[1]),
  );
  return html`<ol class="card-bars" aria-label=${TEXT.tabs.runouts}>
    ${ordered.map(
      (row) =>
        html`<li key=${row.card} class=${row.card === state.cards.chosen ? "chosen" : ""}>
          <button class="link" onClick=${() => goToNode(row.path)}><${CardFace} card=${row.card} /></button>
          ${
            row.actions.length > 0
              ? html`<${StackedBar}
                  shares=${row.actions.map((action) => action.frequency || 0)}
                  colours=${actionColours(row.actions, settings.palette, themeOf(settings))}
                  hatches=${row.actions.map(hatchOf)}
                  label=${row.actions.map((action) => `${action.label} ${percent(action.frequency)}`).join(", ")}
                />`
              : html`<span class="stack empty"></span>`
          }
          <span class="number">${node.players[0]} ${TEXT.ev} ${worth(row.range_ev[0], node, u)}</span>
          <span class="number">${TEXT.eq} ${percent(row.range_equity[0])}</span>
        </li>`,
    )}
  </ol>`;
}

function CardTable({ rows, node }) {
  const { u } = state.address.params;
  const actions = actionsOf(rows);
  const columns = [
    {
      name: "card",
      label: TEXT.card,
      value: (row) => RANKS.indexOf(row.card[0]) * 4 - SUITS.indexOf(row.card[1]),
      show: (row) => html`<${CardFace} card=${row.card} />`,
    },
    ...actions.map((action, i) => ({
      name: action.code,
      label: action.label,
      isNumber: true,
      value: (row) => row.actions[i]?.frequency,
      show: (row) => percent(row.actions[i]?.frequency),
    })),
    ...node.players.flatMap((player, i) => [
      {
        name: `ev${i}`,
        label: `${player} ${TEXT.ev}`,
        isNumber: true,
        value: (row) => row.range_ev[i],
        show: (row) => worth(row.range_ev[i], node, u),
      },
      {
        name: `eq${i}`,
        label: `${player} ${TEXT.eq}`,
        isNumber: true,
        value: (row) => row.range_equity[i],
        show: (row) => percent(row.range_equity[i]),
      },
      {
        name: `eqr${i}`,
        label: `${player} ${TEXT.eqr}`,
        isNumber: true,
        value: (row) => row.eqr[i],
        show: (row) => (isKnown(row.eqr[i]) ? row.eqr[i].toFixed(2) : NONE),
      },
    ]),
  ];
  return html`<${SortableTable}
    columns=${columns}
    rows=${rows}
    caption=${TEXT.tabs.runouts}
    rowKey=${(row) => row.card}
    open=${(row) => goToNode(row.path)}
    usual="card"
  />`;
}
