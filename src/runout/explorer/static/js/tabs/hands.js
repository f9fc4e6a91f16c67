// The pinned hand with all its combos, or all hands as a table.
import { StackedBar } from "../charts.js";
import { hatchOf } from "../colours.js";
import { html } from "../html.js";
import { combosOf, cardsOf, handOf, nameOfCell, SUIT_SIGNS } from "../hands.js";
import { combos, isKnown, NONE, percent, worth } from "../format.js";
import { heldBy, lossOf } from "../node_math.js";
import { describe, pin } from "../parts/matrix.js";
import { SortableTable } from "../parts/sortable.js";
import { TEXT } from "../strings.js";
import { change, set, state } from "../store.js";

export function HandsTab({ shown }) {
  const { h } = state.address.params;
  const hovered = state.hover === null ? "" : nameOfCell(state.hover);
  const hand = h ? handOf(h) : hovered;
  return html`<div class="hands-tab">
    ${!hand && shown.node.buckets && html`<p class="muted">${TEXT.inBuckets(shown.node.street)}</p>`}
    ${hand ? html`<${Hand} shown=${shown} hand=${hand} isPinned=${Boolean(h)} combo=${h.length === 4 ? h : ""} />` : html`<p class="muted">${TEXT.pin}</p>`}
    ${!hand && html`<${AllHands} shown=${shown} />`}
  </div>`;
}

function Hand({ shown, hand, isPinned, combo }) {
  const { node, player, grid } = shown;
  const cell = grid.find((other) => other?.name === hand);
  return html`<section class="hand" aria-label=${hand}>
    <h2>
      ${hand}
      <small>${node.players[player]}</small>
      ${isPinned && html`<button class="link" onClick=${() => change({ h: "" }, true)}>${TEXT.unpin}</button>`}
    </h2>
    ${
      cell && cell.combos > 0
        ? html`<${Combos} shown=${shown} cell=${cell} combo=${combo} />`
        : html`<p class="muted">${whyAbsent(shown, cell, hand)}</p>`
    }
  </section>`;
}

function whyAbsent({ node, player, grid }, cell, hand) {
  const dead = new Set(cardsOf(node.board));
  const isBlocked = combosOf(hand).every((combo) => dead.has(combo.slice(0, 2)) || dead.has(combo.slice(2)));
  if (isBlocked) return `${hand} ${TEXT.blocked}.`;
  return `${describe(cell, hand, { node, player, unit: "" })}.`;
}

/** On a river in buckets, the hands that play like those of a cell. */
function BucketMates({ node, player, columns }) {
  if (!node.buckets) return null;
  const buckets = node.buckets[player];
  const own = new Set(columns.map((column) => buckets[column]));
  const mates = node.hands[player].filter((_, i) => own.has(buckets[i]) && node.weights[player][i] > 0);
  const names = [...new Set(mates.map(handOf))];
  return html`<p class="muted">${TEXT.inBuckets(node.street, names.join(", "))}</p>`;
}

function Combos({ shown, cell, combo }) {
  const { node, player, colours } = shown;
  const { u } = state.address.params;
  const isActor = player === node.actor;
  const held = heldBy(node, player, shown.factors);
  const columns = cell.columns.filter((column) => held.combos[column] > 0);
  const mates = html`<${BucketMates} node=${node} player=${player} columns=${columns} />`;
  return html`${mates}<div class="table-scroll" tabindex="0" role="region" aria-label=${`combos of ${cell.name}`}>
    <table class="combos">
      <thead>
        <tr>
          <th scope="col">${node.hand_space === "combos" ? "combo" : "hand"}</th>
          <th scope="col" class="number">${TEXT.weight}</th>
          <th scope="col" class="number">${TEXT.eq}</th>
          <th scope="col" class="number">${TEXT.ev}</th>
          ${isActor && node.actions.map((action, i) => html`<th scope="col" class="number"><span class=${`swatch ${hatchOf(action)}`} style=${{ background: colours[i] }}></span>${action.label}</th>`)}
          ${isActor && html`<th scope="col" class="number" title="best action minus what is played">${TEXT.loss}</th>`}
        </tr>
      </thead>
      <tbody>
        ${columns.map(
          (column) =>
            html`<tr key=${column} class=${node.hands[player][column] === combo ? "chosen" : ""}>
              <th scope="row">
                <button class="link" onClick=${() => change({ h: node.hands[player][column] }, true)}>
                  <${Combo} name=${node.hands[player][column]} />
                </button>
              </th>
              <td class="number">
                ${percent(held.combos[column] / (node.hand_space === "hands" ? combosOf(cell.name).length : 1))}
              </td>
              <td class="number">${percent(node.equity[player][column])}</td>
              <td class="number">${worth(node.ev[player][column], node, u)}</td>
              ${
                isActor &&
                node.actions.map(
                  (action, i) =>
                    html`<td class="number">
                      <span
                        class="meter"
                        style=${{ "--share": `${100 * (action.strategy[column] || 0)}%`, "--action": colours[i] }}
                        >${percent(action.strategy[column])}</span
                      >
                      <small>${worth(action.evs[column], node, u)}</small>
                    </td>`,
                )
              }
              ${isActor && html`<td class="number">${isKnown(lossOf(node, column)) ? html`${worth(lossOf(node, column), node, u, false, 1)} <small>${percent(lossOf(node, column) / node.pot, 2)}</small>` : NONE}</td>`}
            </tr>`,
        )}
        ${
          columns.length > 1 &&
          html`<tr class="total">
            <th scope="row">${cell.name}</th>
            <td class="number">${combos(cell.combos)}</td>
            <td class="number">${percent(cell.equity)}</td>
            <td class="number">${worth(cell.ev, node, u)}</td>
            ${isActor && cell.frequencies.map((share, i) => html`<td class="number">${percent(share)} <small>${worth(cell.actionEvs[i], node, u)}</small></td>`)}
            ${isActor && html`<td></td>`}
          </tr>`
        }
      </tbody>
    </table>
  </div>`;
}

/** A combo with signs of suits: A and a spade, K and a heart. */
export function Combo({ name }) {
  if (name.length < 4) return name;
  return cardsOf(name).map(
    (card) => html`<span class=${`suit-${card[1]}`}>${card[0]}${SUIT_SIGNS[card[1]]}</span>`,
  );
}

function AllHands({ shown }) {
  const { node, player, grid, colours } = shown;
  const { u } = state.address.params;
  const all = grid.filter((cell) => cell && cell.combos > 0);
  const rows = state.allHands ? all : all.filter((cell) => cell.combos >= 0.1);
  const isActor = player === node.actor;
  const columns = [
    { name: "hand", label: "hand", value: (cell) => grid.indexOf(cell), show: (cell) => cell.name },
    {
      name: "combos",
      label: TEXT.combos,
      isNumber: true,
      value: (cell) => cell.combos,
      show: (cell) => combos(cell.combos),
    },
    {
      name: "eq",
      label: TEXT.eq,
      isNumber: true,
      value: (cell) => cell.equity,
      show: (cell) => percent(cell.equity),
    },
    {
      name: "ev",
      label: TEXT.ev,
      isNumber: true,
      value: (cell) => cell.ev,
      show: (cell) => worth(cell.ev, node, u),
    },
    {
      name: "eqr",
      label: TEXT.eqr,
      isNumber: true,
      value: (cell) => cell.eqr,
      show: (cell) => (isKnown(cell.eqr) ? cell.eqr.toFixed(2) : NONE),
    },
    ...(isActor
      ? [
          {
            name: "mix",
            label: TEXT.modes.strategy,
            value: (cell) => cell.frequencies.at(-1),
            show: (cell) =>
              html`<${StackedBar}
                shares=${cell.frequencies}
                colours=${colours}
                hatches=${node.actions.map(hatchOf)}
                label=${describe(cell, cell.name, { node, player, unit: u })}
              />`,
          },
        ]
      : []),
  ];
  return html`<${SortableTable}
      columns=${columns}
      rows=${rows}
      caption="all hands"
      rowKey=${(cell) => cell.name}
      open=${(cell) => pin(cell.name)}
      usual="-combos"
    />
    ${
      all.some((cell) => cell.combos < 0.1) &&
      html`<label class="check"
        ><input type="checkbox" checked=${Boolean(state.allHands)} onChange=${() => set({ allHands: !state.allHands })} />
        ${TEXT.fewCombos}</label
      >`
    }`;
}
