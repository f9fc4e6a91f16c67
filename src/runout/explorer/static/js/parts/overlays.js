// What lies over the page: keys, jumping to a node, exports.
import { copy, save } from "../clipboard.js";
import { toCommand, toCsv, toSvg } from "../export_text.js";
import { html } from "../html.js";
import { moneyOf } from "../format.js";
import { cardsOf, prettyCards } from "../hands.js";
import { isFilled } from "../node_math.js";
import { stepsOf } from "../paths.js";
import { toPioText, weightsOf } from "../range_text.js";
import { TEXT } from "../strings.js";
import { goToNode, set, state } from "../store.js";

const close = () => set({ overlay: null });

export function Overlay({ shown }) {
  const { overlay } = state;
  if (!overlay) return null;
  const inside = { help: Help, jump: Jump, export: Exports }[overlay];
  const title = { help: TEXT.help, jump: TEXT.jump, export: TEXT.exports }[overlay];
  return html`<div class="backdrop" onClick=${close}>
    <div
      class="dialog"
      role="dialog"
      aria-modal="true"
      aria-label=${title}
      onClick=${(event) => event.stopPropagation()}
      ref=${focusFirst}
    >
      <h2>${title} <button class="icon" aria-label=${TEXT.close} onClick=${close}>×</button></h2>
      <${inside} shown=${shown} />
    </div>
  </div>`;
}

let before = null;

// The keyboard goes into the dialog and comes back to where it was.
function focusFirst(dialog) {
  if (dialog) {
    before = document.activeElement;
    (dialog.querySelector("input") || dialog.querySelector("button")).focus();
  } else if (before?.isConnected) before.focus();
}

function Help() {
  return html`<dl class="keys">
    ${TEXT.keys.map(
      ([key, meaning]) =>
        html`<div>
          <dt><kbd>${key}</kbd></dt>
          <dd>${meaning}</dd>
        </div>`,
    )}
  </dl>
  <h3>${TEXT.words}</h3>
  <dl class="words">
    ${TEXT.glossary.map(
      ([word, meaning]) =>
        html`<div>
          <dt>${word}</dt>
          <dd>${meaning}</dd>
        </div>`,
    )}
  </dl>`;
}

function Jump() {
  return html`<form onSubmit=${jump}>
    <p class="muted" id="jump-help">${TEXT.jumpHelp}</p>
    <input
      name="path"
      aria-label=${TEXT.jump}
      aria-describedby="jump-help"
      value=${state.address.params.n}
      autocomplete="off"
      maxlength="400"
    />
    <button class="primary">${TEXT.goThere}</button>
  </form>`;
}

function jump(event) {
  event.preventDefault();
  const text = new FormData(event.target).get("path").trim();
  close();
  const isBoard =
    /^([2-9TJQKA][cdhs])+$/i.test(text) &&
    cardsOf(text).length > 0 &&
    state.node?.kind === "chance" &&
    stepsOf(text).length === 1;
  goToNode(isBoard ? `${state.node.path}:${text}` : text);
}

function Exports({ shown }) {
  if (!shown) return null;
  const { node, player, factors, grid, colours, theme } = shown;
  const name = [state.address.run, node.path || "root"].join("-").replaceAll(/[^\w.-]/g, "_");
  const command = toCommand(state.facts, node, state.address.params);
  const svg = () =>
    toSvg(node, grid, colours, {
      title: state.facts.name,
      lines: aboutNode(node, player),
      isFull: isFilled(grid, state.address.params.v),
      isDark: theme === "dark",
    });
  return html`<div class="exports">
    <p class="buttons">
      <button onClick=${() => save(`${name}.csv`, "text/csv", toCsv(node, player, factors))}>
        ${TEXT.exportCsv}
      </button>
      <button onClick=${() => save(`${name}.json`, "application/json", JSON.stringify(state.node, null, 1))}>
        ${TEXT.exportJson}
      </button>
      <button onClick=${() => save(`${name}.svg`, "image/svg+xml", svg())}>${TEXT.exportSvg}</button>
      <button onClick=${() => savePng(name, svg())}>${TEXT.exportPng}</button>
      <button onClick=${() => copy(toPioText(weightsOf(node, player, factors), node.board))}>
        ${TEXT.exportRange}
      </button>
      <button onClick=${() => copy(location.href)}>${TEXT.exportLink}</button>
    </p>
    <p>${TEXT.exportCommand}</p>
    <pre><code>${command}</code></pre>
    <p class="buttons"><button onClick=${() => copy(command)}>${TEXT.copyPio}</button></p>
  </div>`;
}

/** Whose strategy a picture shows, on which board, after which line, and the money. */
function aboutNode(node, player) {
  const { u } = state.address.params;
  const steps = node.trail
    .map((step) => [step, step.actions.find((action) => action.code === step.taken)?.label || prettyCards(step.taken)])
    .map(([step, label]) => (step.actor === null || step.actor === undefined ? label : `${node.players[step.actor]} ${label}`));
  const money = `${TEXT.pot} ${moneyOf(node.pot, node, u, true)}, ${TEXT.behind} ${moneyOf(Math.min(...node.stacks), node, u)}`;
  return [`${node.players[player]}${node.board ? ` \u00b7 ${prettyCards(node.board)}` : ""} \u00b7 ${money}`, steps.join(" > ")].filter(
    (line) => line,
  );
}

function savePng(name, svg) {
  const image = new Image();
  image.onload = () => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [2 * image.width, 2 * image.height];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(`${name}.png`, "image/png", blob));
  };
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
