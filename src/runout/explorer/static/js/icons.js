// Icons as SVG, so that no font has to have them.
import { html } from "./html.js";

const PATHS = {
  lock: "M7 10V7a5 5 0 0 1 10 0v3h1a1 1 0 0 1 1 1v9a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-9a1 1 0 0 1 1-1zm2 0h6V7a3 3 0 0 0-6 0z",
  warning: "M12 3 1 21h22zm-1 6h2v6h-2zm0 8h2v2h-2z",
};

/** An icon; the words beside it say what it means. */
export const Icon = ({ name }) =>
  html`<svg class="glyph" viewBox="0 0 24 24" width="1em" height="1em" aria-hidden="true">
    <path fill="currentColor" fill-rule="evenodd" d=${PATHS[name]} />
  </svg>`;
