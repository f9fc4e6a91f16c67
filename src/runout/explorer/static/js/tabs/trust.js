// How well it is solved, in which game that was measured, and where it comes from.
import { html } from "../html.js";
import { Icon } from "../icons.js";
import { Unlearned } from "../parts/ribbon.js";
import { amount, duration, moment, money, percent } from "../format.js";
import { describeQuality } from "../parts/header.js";
import { ExploitabilityCurve } from "../parts/job_panel.js";
import { TEXT } from "../strings.js";
import { goToNode, state } from "../store.js";

export function TrustTab({ node }) {
  const { facts } = state;
  const { quality } = facts;
  const words = TEXT.trust;
  const summary = describeQuality(quality);
  return html`<div class="trust-tab">
    ${summary?.isRough && html`<p class="warning"><${Icon} name="warning" /> ${summary.isPot ? words.poor : words.poorBb}</p>`}
    ${summary?.isUnknown && html`<p class="warning"><${Icon} name="warning" /> ${words.unknown}</p>`}
    ${node && html`<${Unlearned} node=${node} />`}
    <dl class="trust">
      ${
        quality &&
        html` <div>
            <dt>${words.real}</dt>
            <dd><b>${summary.isUnknown ? words.notReal : summary.text}</b></dd>
          </div>
          <div>
            <dt>${words.own}</dt>
            <dd>
              ${quality.meaning === "real game" ? words.same : summary.own}
              <br /><small>${quality.explanation}</small>
            </dd>
          </div>
          <div>
            <dt>${words.iterations}</dt>
            <dd>${quality.iterations.toLocaleString("en")}</dd>
          </div>
          <div>
            <dt>${words.seconds}</dt>
            <dd>${duration(quality.seconds)}</dd>
          </div>
          <div>
            <dt>${words.date}</dt>
            <dd>${moment(quality.date)}</dd>
          </div>
          <div>
            <dt>${words.version}</dt>
            <dd>runout ${quality.version}</dd>
          </div>
          <div>
            <dt>${words.processor}</dt>
            <dd>${quality.processor || "\u2013"}</dd>
          </div>
          <div>
            <dt>${words.digest}</dt>
            <dd><code>${(quality.config_digest || "").slice(0, 16)}</code></dd>
          </div>`
      }
      ${
        node &&
        node.reach !== null &&
        html`<div>
          <dt>${TEXT.reached}</dt>
          <dd>${percent(node.reach)} ${TEXT.ofDeals}</dd>
        </div>`
      }
      ${
        facts.verified &&
        html`<div>
          <dt>${words.verified}</dt>
          <dd>${words.verifiedUnit(facts.verified)}</dd>
        </div>`
      }
      ${
        facts.note &&
        html`<div>
          <dt>from</dt>
          <dd>${facts.note}</dd>
        </div>`
      }
    </dl>
    ${quality && quality.curve.length > 1 && html`<${Curve} quality=${quality} />`}
    ${
      facts.flops.length > 0 &&
      html`<details>
        <summary>${words.flops} (${facts.flops.length})</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">${TEXT.flops.flop}</th>
              <th scope="col" class="number">${words.flopShare}</th>
            </tr>
          </thead>
          <tbody>
            ${facts.flops.map(
              (flop) =>
                html`<tr>
                  <td>${flop.flop}</td>
                  <td class="number">${percent(flop.share, 2)}</td>
                </tr>`,
            )}
          </tbody>
        </table>
      </details>`
    }
    ${
      facts.leaves.length > 0 &&
      html`<details open>
        <summary>${words.leaves}</summary>
        <${Leaves} leaves=${facts.leaves} />
      </details>`
    }
    <details>
      <summary>${words.config}</summary>
      <pre class="config">${facts.config}</pre>
    </details>
  </div>`;
}

function Curve({ quality }) {
  const isPot = quality.unit === "pot";
  return html`<${ExploitabilityCurve}
    curve=${quality.curve}
    title=${`${TEXT.trust.curve}, ${isPot ? TEXT.unitPot : "mbb"}`}
    format=${(value) => (isPot ? `${Number((100 * value).toPrecision(2))} %` : String(Number(value.toPrecision(2))))}
  />`;
}

function Leaves({ leaves }) {
  return html`<table>
    <thead>
      <tr>
        <th scope="col">${TEXT.trust.line}</th>
        <th scope="col" class="number">${TEXT.pot}</th>
        <th scope="col" class="number">${TEXT.spr}</th>
        <th scope="col" class="number">${TEXT.trust.seen}</th>
        <th scope="col">${TEXT.trust.source}</th>
      </tr>
    </thead>
    <tbody>
      ${leaves.map(
        (leaf) =>
          html`<tr class=${leaf.is_guessed ? "guessed" : ""}>
            <th scope="row">
              <button class="link" onClick=${() => goToNode(leaf.path)}>${leaf.path}</button>
            </th>
            <td class="number">${amount(leaf.pot, "bb")}</td>
            <td class="number">${money(leaf.spr)}</td>
            <td class="number">${percent(leaf.reach)}</td>
            <td>${leaf.source}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}
