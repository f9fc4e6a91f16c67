// One binding of the template language to the renderer; every component imports it from here.
import htm from "../vendor/htm.js";
import { h, render } from "../vendor/preact.js";

export const html = htm.bind(h);
export { render };
