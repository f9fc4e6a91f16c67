// All cards that can come, or could have come: bars and a table, and a deck to pick from.
import { StackedBar } from "../charts.js";
import { actionColours, hatchOf, heat } from "../colours.js";
import { joinPath } from "../paths.js";
import { RANKS, SUITS, SUIT_NAMES, SUIT_SIGNS } from "../hands.js";
import { html } from "../html.js";
import { NONE, isKnown, percent, worth } from "../format.js";
import { CardFace } from "../parts/ribbon.js";
import { SortableTable } from "../parts/sortable.js";
import { TEXT } from "../strings.js";
import { change, goToNode, set, state, themeOf } from "../store.js";

export function RunoutsTab({ shown }) {
  const { cards } = state;
  const { w } = state.address.params;
  if (!cards) return html`<p class="muted">${state.isLoading ? TEXT.loading : TEXT.leftOut}</p>`;
  if (!cards.rows.length) return html`<${NoCard} node=${shown.node} />`;
  return html`<div class="runouts-tab">
    <${Deck} rows=${cards.rows} chosen=${cards.chosen} node=${shown.node} />
    <p class="buttons">
      <button aria-pressed=${Boolean(w)} onClick=${() => change({ w: w ? "" : "1" }, true)}>
        ${w ? TEXT.chart : TEXT.table}
      </button>
    </p>
    ${w ? html`<${CardTable} rows=${cards.rows} node=${shown.node} />` : html`<${CardBars} rows=${cards.rows} node=${shown.node} />`}
  </div>`;
}

function NoCard({ node }) {
  return html`<p class="muted">${TEXT.noCardYet}</p>
    <p class="buttons">
      ${node.actions.map((action) => html`<button onClick=${() => goToNode(joinPath(node.path, action.code))}>${action.label} →</button>`)}
    </p>`;
}

/** What cards can be coloured by: equity and EV of both players, how often each action is taken. */
const measuresOf = (rows, node) => [
  ...node.players.map((name, i) => [`eq${i}`, `${name} ${TEXT.eq}`, (row) => row.range_equity[i], percent]),
  ...node.players.map((name, i) => [
    `ev${i}`,
    `${name} ${TEXT.ev}`,
    (row) => row.range_ev[i],
    (value) => worth(value, node, state.address.params.u, true),
  ]),
  ...actionsOf(rows).map((action) => [
    action.code,
    action.label,
    (row) => row.actions.find((other) => other.code === action.code)?.frequency,
    percent,
  ]),
];

/** The deck, each card coloured by what is chosen; below it what the colours stand for. */
export function Deck({ rows, chosen, node = null }) {
  const byCard = new Map(rows.map((row) => [row.card, row]));
  const theme = themeOf(state.settings);
  const measures = node ? measuresOf(rows, node) : [];
  const [name, , value, show] = measures.find(([known]) => known === state.deckBy) || measures[0] || [];
  const values = value ? rows.map(value).filter(isKnown) : [];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const shareOf = (row) => (value && row && isKnown(value(row)) ? (value(row) - low) / (high - low || 1) : null);
  const stops = [0, 0.25, 0.5, 0.75, 1].map((share) => heat(share, theme)).join(", ");
  return html`<div class="deck" role="group" aria-label=${TEXT.chooseCard}>
    ${[...SUITS].reverse().flatMap((suit) =>
      [...RANKS].map((rank) => {
        const row = byCard.get(rank + suit);
        const share = shareOf(row);
        return html`<button
          class=${share === null ? `suit-${suit}` : "heated"}
          disabled=${!row}
          aria-pressed=${rank + suit === chosen}
          aria-label=${`${rank} of ${SUIT_NAMES[suit]}`}
          title=${share === null ? "" : show(value(row))}
          style=${share === null ? {} : { background: heat(share, theme) }}
          onClick=${() => goToNode(row.path)}
        >
          ${rank}${SUIT_SIGNS[suit]}
        </button>`;
      }),
    )}
    </div>
    ${
      values.length > 1 &&
      html`<p class="buttons">
        <label
          >${TEXT.deckBy}
          <select onChange=${(event) => set({ deckBy: event.target.value })}>
            ${measures.map(([known, label]) => html`<option value=${known} selected=${known === name}>${label}</option>`)}
          </select></label
        >
        <span class="scale" style=${{ "--stops": stops }}><span>${show(low)}</span><span>${show((low + high) / 2)}</span><span>${show(high)}</span></span>
      </p>`
    }`;
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
