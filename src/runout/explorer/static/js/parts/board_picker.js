// The board: 52 cards to click, its text, and a random flop of a texture.
import { TEXTURES, randomFlop, toggledCard } from "../draft.js";
import { changeDraft } from "../draft_store.js";
import { RANKS, SUITS, SUIT_NAMES, SUIT_SIGNS, cardsOf } from "../hands.js";
import { html } from "../html.js";
import { STUDY } from "../strings_study.js";
import { set, state } from "../store.js";

export function BoardPicker() {
  const { board } = state.draft;
  const cards = cardsOf(board);
  return html`<section class="panel" aria-label=${STUDY.board}>
    <h2>${STUDY.board}</h2>
    <div class="deck" role="group" aria-label=${STUDY.board}>
      ${[...SUITS].reverse().flatMap((suit) =>
        [...RANKS].map(
          (rank) =>
            html`<button
              class=${`suit-${suit}`}
              aria-pressed=${cards.includes(rank + suit)}
              aria-label=${`${rank} of ${SUIT_NAMES[suit]}`}
              disabled=${cards.length === 5 && !cards.includes(rank + suit)}
              onClick=${() => changeDraft({ board: toggledCard(board, rank + suit) })}
            >
              ${rank}${SUIT_SIGNS[suit]}
            </button>`,
        ),
      )}
    </div>
    <p class="buttons">
      <input
        aria-label=${STUDY.boardText}
        size="12"
        maxlength="20"
        value=${board}
        onInput=${(event) => changeDraft({ board: event.target.value.trim() })}
      />
      <button onClick=${() => changeDraft({ board: "" })}>${STUDY.clear}</button>
      <button onClick=${() => changeDraft({ board: randomFlop(state.texture || "any") })}>${STUDY.random}</button>
      <select aria-label=${STUDY.texture} onChange=${(event) => set({ texture: event.target.value })}>
        ${Object.keys(TEXTURES).map((name) => html`<option value=${name} selected=${name === state.texture}>${name}</option>`)}
      </select>
    </p>
  </section>`;
}
