// The drill: a hand, a question, a grade by EV, and on through the streets.
import { ask } from "../api.js";
import { cardOf, columnOf, deal, grade, inSuits, leaks, nextDue, noted, playOf, shuffledSuits } from "../drill.js";
import { moneyOf, percent, worth } from "../format.js";
import { cardsOf, handOf } from "../hands.js";
import { html } from "../html.js";
import { joinPath } from "../paths.js";
import { CardFace, namesAt } from "../parts/ribbon.js";
import { TEXT } from "../strings.js";
import { STUDY } from "../strings_study.js";
import { go, set, state } from "../store.js";
import { DEFAULTS } from "../url_state.js";

const KEPT = "runout-drill";
const MOST_KEPT = 2000;
const random = Math.random;

function loadMemory() {
  const usual = { count: 0, missed: {}, history: [] };
  try {
    return { ...usual, ...JSON.parse(localStorage.getItem(KEPT) || "{}") };
  } catch {
    return usual;
  }
}

function keep(memory) {
  try {
    localStorage.setItem(KEPT, JSON.stringify({ ...memory, history: memory.history.slice(-MOST_KEPT) }));
  } catch {
    // without storage it lasts as long as the page
  }
  return memory;
}

// Players are known by name: their numbers change with the flop.
const heroOf = ({ players, actor }, p) => players[p === "" ? (actor ?? 0) : Number(p)];
const byName = (node, held) => held && Object.fromEntries(node.players.map((name, i) => [name, held[i]]));

async function nodeAt(path) {
  const node = await ask("node", state.address.run, path);
  node.big_blind = state.facts.spot?.big_blind ?? null;
  return node;
}

/** Deals a hand, or one that was missed and is due. */
async function newHand() {
  const memory = state.drill?.memory || loadMemory();
  const hero = heroOf(state.node, state.address.params.p);
  const suits = shuffledSuits(random);
  const due = nextDue(memory, state.address.run);
  const base = { run: state.address.run, start: state.address.params.n, memory, suits, hero };
  if (due) {
    const node = await nodeAt(due.path);
    const whose = node.players[node.actor];
    set({ drill: { ...base, hero: whose, node, held: { [whose]: due.combo }, isAgain: true, answer: null, isOver: false } });
    return;
  }
  const held = byName(state.node, deal(state.node, state.node.players.indexOf(hero), random));
  set({ drill: { ...base, node: state.node, held, answer: null, isOver: held === null } });
  if (held) await playOn(state.node.path);
}

/** Lets the opponent and the cards come, up to the next question or the end of the hand. */
async function playOn(path) {
  let node = await nodeAt(path);
  const { hero, held } = state.drill;
  while (node.actor === null || node.players[node.actor] !== hero) {
    let step;
    if (node.kind === "chance") step = cardOf(node, Object.values(held), random);
    else if (node.kind === "decision") step = node.actions[playOf(node, held[node.players[node.actor]], random)].code;
    else if (node.kind === "flop" && node.flops?.length) {
      const free = node.flops.filter((flop) => !Object.values(held).some((combo) => cardsOf(combo).some((card) => flop.includes(card))));
      step = free[Math.floor(random() * free.length)];
    }
    if (!step) {
      set({ drill: { ...state.drill, node, answer: null, isOver: true } });
      return;
    }
    node = await nodeAt(joinPath(node.path, step));
  }
  const isThere = columnOf(node, node.actor, held[hero]) !== undefined;
  set({ drill: { ...state.drill, node, answer: null, isOver: !isThere } });
}

async function answer(index) {
  const { node, hero, held, memory, run } = state.drill;
  if (state.drill.answer) return;
  const result = grade(node, held[hero], index);
  const classes = node.board ? await ask("classes", run, node.board) : null;
  const number = classes ? classes.hands.findIndex((name) => name === held[hero] || name === held[hero].slice(2) + held[hero].slice(0, 2)) : -1;
  const made = number < 0 ? "" : classes.made_names[classes.made[number]];
  const entry = { run, path: node.path, combo: held[hero], made, board: node.board, lostPot: result.lostPot, isMistake: result.isMistake };
  const next = noted(memory, `${run}|${node.path}|${held[hero]}`, result.isMistake);
  const kept = keep({ ...memory, ...next, history: [...memory.history, entry] });
  set({ drill: { ...state.drill, answer: result, memory: kept } });
}

async function goOn() {
  const { drill } = state;
  if (drill.isOver || drill.isAgain) await newHand();
  else await playOn(joinPath(drill.node.path, drill.node.actions[drill.answer.action].code));
}

/** What a key does: numbers answer, Enter goes on; nothing for others. */
export function drillKey(event) {
  const { drill } = state;
  if (!drill?.node) return null;
  const index = Number(event.key) - 1;
  if (!drill.isOver && !drill.answer && index >= 0 && index < drill.node.actions.length) return () => answer(index);
  const isNext = event.key === "Enter" && (drill.answer || drill.isOver) && event.target.tagName !== "BUTTON";
  return isNext ? goOn : null;
}

export function DrillPage() {
  const { drill, node, facts } = state;
  if (!node || !facts) return html`<main><p class="muted">${TEXT.loading}</p></main>`;
  if (drill?.run !== state.address.run || drill.start !== state.address.params.n) {
    state.drill = { run: state.address.run, start: state.address.params.n, isLoading: true };
    queueMicrotask(newHand);
  }
  const back = () => go({ view: facts.kind === "spot" ? "spot" : "preflop", run: state.address.run, params: { ...DEFAULTS, n: state.address.params.n } });
  return html`<main class="drill">
    <h1>${STUDY.drill.title} <small>${facts.name}</small> <button onClick=${back}>${STUDY.drill.back}</button></h1>
    ${state.drill.isLoading ? html`<p class="muted">${TEXT.loading}</p>` : html`<${Question} drill=${state.drill} /><${Score} drill=${state.drill} />`}
  </main>`;
}

const cards = (text, suits) => inSuits(text || "", suits).map((card) => html`<${CardFace} card=${card} />`);

function Question({ drill }) {
  const { node, held, hero, suits, isOver } = drill;
  if (!held) return html`<p>${STUDY.drill.nothing}</p>`;
  const steps = node.trail.map((step) => {
    const action = step.actions.find((each) => each.code === step.taken);
    return action ? `${namesAt(step.path)[step.actor]} ${action.label}` : html`${cards(step.taken, suits)}`;
  });
  return html`<section class="panel question" aria-label=${STUDY.drill.question}>
    <p class="drill-line">${steps.map((step, i) => html`${i ? " > " : ""}${step}`)}</p>
    <p class="drill-cards"><span>${cards(node.board, suits)}</span> <span class="hero">${cards(held[hero], suits)}</span></p>
    <p>
      ${hero}, ${TEXT.pot} ${moneyOf(node.pot, node, "", true)}, ${`${TEXT.behind} `}${moneyOf(Math.min(...node.stacks), node, "")} ${drill.isAgain && html`<span class="badge">${STUDY.drill.again}</span>`}
    </p>
    ${
      isOver
        ? html`<p>${STUDY.drill.over}</p>`
        : html`<p class="buttons">
            ${node.actions.map(
              (action, i) =>
                html`<button class="choice" disabled=${Boolean(drill.answer)} onClick=${() => answer(i)}>
                  <kbd>${i + 1}</kbd> ${action.label}
                </button>`,
            )}
          </p>`
    }
    ${drill.answer && html`<${Grade} node=${node} answer=${drill.answer} />`}
    ${(isOver || drill.answer) && html`<button class="primary" onClick=${goOn}>${isOver || drill.isAgain ? STUDY.drill.next : STUDY.drill.on}</button>`}
  </section>`;
}

function Grade({ node, answer: { action, lost, lostPot, isMistake, played, evs } }) {
  const words = isMistake ? STUDY.drill.lost(worth(lost, node, "", true, 1), percent(lostPot, 1)) : STUDY.drill.good;
  return html`<div role="status">
    <p class=${isMistake ? "bad" : "good"}><b>${words}</b></p>
    <table>
      <thead>
        <tr>
          <th scope="col">${TEXT.actions}</th>
          <th scope="col" class="number">${TEXT.frequency}</th>
          <th scope="col" class="number">${TEXT.ev}</th>
        </tr>
      </thead>
      <tbody>
        ${node.actions.map(
          (each, i) =>
            html`<tr class=${i === action ? "chosen" : ""}>
              <th scope="row">${each.label}</th>
              <td class="number">${percent(played[i])}</td>
              <td class="number">${worth(evs[i], node, "", false, 1)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function Score({ drill }) {
  const history = drill.memory.history.filter((each) => each.run === drill.run);
  if (!history.length) return null;
  const mistakes = history.filter((each) => each.isMistake).length;
  const lost = history.reduce((sum, each) => sum + each.lostPot, 0) / history.length;
  return html`<section class="panel scroll" tabindex="0" aria-label=${STUDY.drill.score}>
    <h2>${STUDY.drill.score}</h2>
    <p class="score">${STUDY.drill.summary(history.length, mistakes, percent(lost, 2))}</p>
    <table>
      <thead>
        <tr>
          <th scope="col">${TEXT.classes}</th>
          <th scope="col" class="number">${STUDY.drill.decisions}</th>
          <th scope="col" class="number">${STUDY.drill.mistakes}</th>
          <th scope="col" class="number">${TEXT.loss} (${TEXT.unitPot})</th>
        </tr>
      </thead>
      <tbody>
        ${leaks(history, (each) => each.made || handOf(each.combo)).map(
          (row) =>
            html`<tr>
              <th scope="row">${row.name.replaceAll("-", " ")}</th>
              <td class="number">${row.count}</td>
              <td class="number">${row.mistakes}</td>
              <td class="number">${percent(row.lost / row.count, 2)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}
