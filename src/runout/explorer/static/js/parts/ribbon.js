// The line so far and what may follow: every decision with all its actions, every card.
import { actionColours } from "../colours.js";
import { html } from "../html.js";
import { Icon } from "../icons.js";
import { isLockedAt } from "../locks.js";
import { meanLoss, remember } from "../node_math.js";
import { cardsOf } from "../hands.js";
import { moneyOf, percent } from "../format.js";
import { isCards, isOnLine, joinPath, nextStep, stepsOf } from "../paths.js";
import { TEXT } from "../strings.js";
import { goToNode, state, themeOf } from "../store.js";

/** A card as a small tile. */
export function CardFace({ card }) {
  return html`<span class=${`card suit-${card[1]}`}
    >${card[0]}<span aria-hidden="true">${SIGNS[card[1]]}</span
    ><span class="visually-hidden">${card[1]}</span></span
  >`;
}

const SIGNS = { c: "\u2663", d: "\u2666", h: "\u2665", s: "\u2660" };

/** The places of the ribbon: those before the node, the node, and those behind it on the line. */
export function placesOf(node, line) {
  const here = { ...node, label: labelOf(node), isHere: true };
  const before = node.trail.map((step) => ({ ...step }));
  const behind = line && isOnLine(node.path, line.path) ? line.trail.slice(before.length + 1) : [];
  const taken = line ? nextStep(node.path, line.path) : "";
  const places = [...before, { ...here, taken }, ...behind];
  if (line && stepsOf(line.path).length > stepsOf(node.path).length) {
    places.push({ ...line, label: labelOf(line), taken: "", isFuture: true });
  }
  return places;
}

const labelOf = (node) =>
  node.actor === null || node.actor === undefined
    ? TEXT.nobody?.[node.kind] || node.kind
    : node.players[node.actor];

export function Ribbon() {
  const { node, line } = state;
  const places = placesOf(node, line);
  return html`<nav class="ribbon" aria-label="line">
    <ol>
      ${places.map((place) => html`<${Place} key=${place.path} place=${place} here=${node} />`)}
    </ol>
    <${Facts} node=${node} />
    <${Unlearned} node=${node} />
  </nav>`;
}

const lossFor = remember(meanLoss);
const MUCH = 0.01;

/** Warns where the hands that get here still give up much of the pot. */
export function Unlearned({ node }) {
  const loss = lossFor(node);
  if (loss === null || loss <= MUCH * node.pot || node.locked) return null;
  return html`<p class="warning"><${Icon} name="warning" /> ${TEXT.unlearned(percent(loss / node.pot, 1))}</p>`;
}

function Place({ place, here }) {
  const isHere = place.path === here.path;
  const isFuture = !isHere && isOnLine(here.path, place.path);
  const className = `place ${isHere ? "here" : ""} ${isFuture ? "future" : ""}`;
  if (place.actor === null || place.actor === undefined) {
    return html`<li class=${className} ref=${isHere ? keepInView : null}>
      <${Dealt} place=${place} isHere=${isHere} />
    </li>`;
  }
  const colours = actionColours(place.actions, state.settings.palette, themeOf(state.settings));
  const who = namesAt(place.path)[place.actor];
  return html`<li class=${className} aria-current=${isHere ? "step" : null} ref=${isHere ? keepInView : null}>
    <button class="place-head" onClick=${() => goToNode(place.path)}>
      ${who} ${isLockedAt(state.facts.spot?.locks, place.path) && html`<span class="locked" title=${TEXT.lockedHelp}><${Icon} name="lock" /><span class="visually-hidden">${TEXT.locked}</span></span>`}
    </button>
    <ul>
      ${place.actions.map(
        (action, i) =>
          html`<li>
            <button
              class=${`step ${action.code === place.taken ? "taken" : ""}`}
              style=${{ "--action": colours[i], "--share": `${100 * (action.frequency || 0)}%` }}
              onClick=${() => goToNode(joinPath(place.path, action.code))}
            >
              <span>${action.label}</span><span class="number">${percent(action.frequency, 0)}</span>
            </button>
          </li>`,
      )}
    </ul>
  </li>`;
}

let pathInView = null;

// On a narrow screen the node that is on would be out of sight; scrolling by hand is respected.
function keepInView(place) {
  if (!place || pathInView === state.node?.path) return;
  pathInView = state.node?.path;
  const list = place.closest("ol");
  list.scrollLeft = place.offsetLeft - list.offsetLeft - (list.clientWidth - place.clientWidth) / 2;
}

// The numbers of the players change with the flop, on which the big blind acts first.
export const namesAt = (path) =>
  state.facts.spot?.origin ? ["BB (OOP)", "SB (IP)"] : state.facts.kind === "spot" ? ["OOP", "IP"] : stepsOf(path).some(isCards) ? ["BB", "SB"] : ["SB", "BB"];

function Dealt({ place, isHere }) {
  const cards = place.taken ? cardsOf(place.taken) : [];
  return html`<button class="place-head" onClick=${() => goToNode(place.path)}>
    ${cards.length ? cards.map((card) => html`<${CardFace} card=${card} />`) : html`<span class="end">${isHere ? endOf(place) : place.label}</span>`}
  </button>`;
}

const endOf = (place) =>
  ({ chance: TEXT.chooseCard, flop: TEXT.flops.flop, fold: "fold", showdown: "showdown" })[place.kind] ||
  place.label;

/** Pot, stacks, SPR, what a call costs and needs, how often this is reached. */
function Facts({ node }) {
  const call = node.actions.find((action) => action.kind === "call");
  const owed = call && node.actor !== null ? Math.max(...toCall(node)) : 0;
  const stack = Math.min(...node.stacks);
  const { u } = state.address.params;
  return html`<div class="facts-line">
    ${node.board && html`<span class="board">${cardsOf(node.board).map((card) => html`<${CardFace} card=${card} />`)}</span>`}
    ${node.locked && html`<span class="locked" title=${TEXT.lockedHelp}><${Icon} name="lock" /> ${TEXT.locked}</span>`}
    <dl class="facts">
      <div>
        <dt>${TEXT.pot}</dt>
        <dd>${moneyOf(node.pot, node, u, true)}</dd>
      </div>
      <div>
        <dt>${TEXT.behind}</dt>
        <dd>${(node.stacks[0] === node.stacks[1] ? [stack] : node.stacks).map((each) => moneyOf(each, node, u)).join(" / ")}</dd>
      </div>
      ${
        node.pot > 0 &&
        html`<div>
          <dt>${TEXT.spr}</dt>
          <dd>${(stack / node.pot).toFixed(1)}</dd>
        </div>`
      }
      ${
        owed > 0 &&
        html`<div>
          <dt>${TEXT.toCall}</dt>
          <dd>${moneyOf(owed, node, u)}, ${TEXT.potOdds} ${percent(owed / (node.pot + owed))}</dd>
        </div>`
      }
      ${
        node.reach !== null &&
        html`<div>
          <dt>${TEXT.reached}</dt>
          <dd>${percent(node.reach)} ${TEXT.ofDeals}</dd>
        </div>`
      }
    </dl>
  </div>`;
}

// What the actor has not yet put in of what the other has.
const toCall = (node) => [node.stacks[node.actor] - node.stacks[1 - node.actor], 0];
