// The flop report: one thin bar per flop, a table, textures and groups.
import { StackedBar } from "../charts.js";
import { actionColours, hatchOf, sequential } from "../colours.js";
import { filterFlops, groupFlops, GROUPS, summarize, texturesOf } from "../flop_groups.js";
import { cardsOf } from "../hands.js";
import { html } from "../html.js";
import { NONE, amount, isKnown, percent } from "../format.js";
import { CardFace } from "../parts/ribbon.js";
import { SortableTable, sorted } from "../parts/sortable.js";
import { TrustTab } from "../tabs/trust.js";
import { TEXT } from "../strings.js";
import { change, go, set, state, themeOf } from "../store.js";
import { DEFAULTS, splitList, toggled } from "../url_state.js";

export function FlopsPage() {
  const { flops: report } = state;
  if (!report) return html`<main class="report"><p class="muted">${TEXT.loading}</p></main>`;
  const { params } = state.address;
  const textures = splitList(params.t);
  const kept = filterFlops(report.flops, textures);
  const rows = groupFlops(kept, params.g);
  const columns = columnsOf(report);
  return html`<main class="report">
    <h1>${TEXT.flops.title} <small>${report.title}</small></h1>
    ${state.facts?.note && html`<p class="muted">${state.facts.note}</p>`}
    ${report.choices.length > 1 && html`<div class="segments" role="group" aria-label=${report.choice}>${report.choices.map((choice) => html`<button aria-pressed=${choice === report.path} onClick=${() => change({ n: choice })}>${report.choice} ${choice}</button>`)}</div>`}
    <div class="textures" role="group" aria-label=${TEXT.flops.textures}>
      ${texturesOf(report.flops).map((texture) => html`<button class="chip" aria-pressed=${textures.includes(texture)} onClick=${() => change({ t: toggled(params.t, texture) }, true)}>${texture.split(".")[1]}</button>`)}
      ${textures.length > 0 && html`<button class="clear" onClick=${() => change({ t: "" }, true)}>${TEXT.clear}</button>`}
    </div>
    <label
      >${TEXT.flops.group}
      <select value=${params.g} onChange=${(event) => change({ g: event.target.value }, true)}>
        ${["", ...GROUPS].map((group) => html`<option value=${group} selected=${group === params.g}>${TEXT.flops.groups[group]}</option>`)}
      </select></label
    >
    ${
      kept.length === 0
        ? html`<p class="muted">${TEXT.flops.none}</p>`
        : html` <${Bars} rows=${sorted(rows, columns, params.sort || "-share")} report=${report} />
            <${SortableTable}
              columns=${columns}
              caption=${TEXT.flops.title}
              rowKey=${(row) => row.flop}
              usual="-share"
              open=${openFlop}
              rows=${[...rows]}
              rowClass=${(row) => (row.isGroup ? "group" : "")}
            />
            <div class="table-scroll" tabindex="0" role="region" aria-label=${TEXT.flops.overall}><table class="summary">
              <caption class="visually-hidden">
                ${TEXT.flops.overall}
              </caption>
              <thead>
                <tr>
                  ${columns.map((column) => html`<th scope="col" class=${column.isNumber ? "number" : ""}>${column.label}</th>`)}
                </tr>
              </thead>
              <tbody>
                ${[
                  summarize(TEXT.flops.overall, report.flops),
                  ...(textures.length ? [summarize(TEXT.flops.filtered, kept)] : []),
                ].map(
                  (row) =>
                    html`<tr>
                      ${columns.map((column) => html`<td class=${column.isNumber ? "number" : ""}>${column.show(row)}</td>`)}
                    </tr>`,
                )}
              </tbody>
            </table></div>`
    }
    <section class="panel">
      <h2>${TEXT.tabs.trust}</h2>
      <${TrustTab} node=${null} />
    </section>
  </main>`;

  function openFlop(row) {
    if (row.isGroup) change({ g: "", t: `${params.g}.${row.flop}` });
    else if (row.run) go({ view: "spot", run: row.run, params: { ...DEFAULTS, n: row.path } });
    else if (row.path) go({ view: "preflop", run: state.address.run, params: { ...DEFAULTS, n: row.path } });
  }
}

function columnsOf(report) {
  const actions = report.flops.find((flop) => flop.actions.length)?.actions || [];
  const of = (row, code) => row.actions.find((action) => action.code === code)?.frequency;
  const number = (name, label, value, show, help) => ({
    help,
    name,
    label,
    isNumber: true,
    value,
    show: (row) => show(value(row)),
  });
  const known = (rows, pick) => rows.some((row) => isKnown(pick(row)));
  return [
    {
      name: "flop",
      label: TEXT.flops.flop,
      value: (row) => row.flop,
      show: (row) =>
        row.isGroup
          ? `${row.flop} (${row.count})`
          : cardsOf(row.flop).map((card) => html`<${CardFace} card=${card} />`),
    },
    number(
      "share",
      TEXT.flops.weight,
      (row) => row.share,
      (share) => percent(share, 2),
    ),
    ...actions.map((action) => number(action.code, action.label, (row) => of(row, action.code), percent)),
    ...report.players.flatMap((name, i) => [
      number(
        `ev${i}`,
        `${name} ${TEXT.ev}`,
        (row) => row.ev[i],
        (value) => amount(value, report.unit),
      ),
      ...(known(report.flops, (row) => row.equity[i])
        ? [number(`eq${i}`, `${name} ${TEXT.eq}`, (row) => row.equity[i], percent)]
        : []),
      ...(known(report.flops, (row) => row.eqr[i])
        ? [
            number(
              `eqr${i}`,
              `${name} ${TEXT.eqr}`,
              (row) => row.eqr[i],
              (value) => (isKnown(value) ? value.toFixed(2) : NONE),
            ),
          ]
        : []),
    ]),
    ...report.more.map(({ key, label, form }) =>
      number(
        key,
        label,
        (row) => row.more[key],
        (value) => (form === "share" ? percent(value, 1) : isKnown(value) ? value.toFixed(2) : NONE),
        TEXT.flops.help[key.split("_")[0]],
      ),
    ),
    ...(known(report.flops, (row) => row.exploitability)
      ? [
          number(
            "quality",
            TEXT.flops.quality,
            (row) => row.exploitability,
            (value) => percent(value, 2),
          ),
        ]
      : []),
  ];
}

/** Upright bars as wide as flops are frequent: what is done there, or what it is worth to the first player. */
function Bars({ rows, report }) {
  const theme = themeOf(state.settings);
  const { palette } = state.settings;
  const evs = rows.map((row) => row.ev[0]).filter(isKnown);
  const [low, high] = [Math.min(...evs), Math.max(...evs)];
  const actions = rows.find((row) => row.actions.length)?.actions || [];
  const words = (row) =>
    `${row.flop} (${percent(row.share, 2)}): ${row.actions.length ? row.actions.map((a) => `${a.label} ${percent(a.frequency)}`).join(", ") : `${report.players[0]} ${TEXT.ev} ${amount(row.ev[0], report.unit)}`}`;
  const shown = rows.find((row) => row.flop === state.hoverFlop);
  const colours = actionColours(actions, palette, theme);
  return html`<figure class="flop-figure">
    <div class="flop-bars" role="img" aria-label=${`${rows.length} ${TEXT.flops.title}`} onMouseLeave=${() => set({ hoverFlop: null })}>
      ${rows.map(
        (row) =>
          html`<span
            class="flop-bar"
            style=${{ flexGrow: row.share }}
            title=${words(row)}
            onMouseEnter=${() => set({ hoverFlop: row.flop })}
          >
            ${
              row.actions.length
                ? [...row.actions]
                    .map((action, i) => html`<span class=${hatchOf(action)} style=${{ height: `${100 * (action.frequency || 0)}%`, background: actionColours(row.actions, palette, theme)[i] }}></span>`)
                    .reverse()
                : html`<span
                    style=${{ height: `${15 + (85 * (row.ev[0] - low)) / (high - low || 1)}%`, background: sequential((row.ev[0] - low) / (high - low || 1), theme) }}
                  ></span>`
            }</span
          >`,
      )}
    </div>
    <figcaption>
      <span class="legend">${actions.map((action, i) => html`<span class="key"><span class=${`swatch ${hatchOf(action)}`} style=${{ background: colours[i] }}></span>${action.label}</span>`)}</span>
      <span class="muted">${shown ? words(shown) : `${rows[0].flop} \u2026 ${rows.at(-1).flop}; ${TEXT.flops.wide}`}</span>
    </figcaption>
  </figure>`;
}
