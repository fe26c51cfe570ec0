// What every path between two domains does, as an observatory knows it: a table with a colour and a figure in each cell.
import { clock, FIGURES, matrix, ofKind, OLD_MILLIS, span, step } from "./model.js";
import { html, Table } from "./views.js";

const { useRef, useState } = preactHooks;
/** A table that can still be read. */
const MOST_DOMAINS = 40;

const figures = (cell, now) => Object.entries(FIGURES).map(([id, figure]) => figure.name.toLowerCase() + " " + (cell[id + "Time"] === undefined ? "never measured" : figure.text(cell[id]) + ", " + span(Math.max(0, now - cell[id + "Time"]) / 1000) + " ago")).join("; ");
const sentence = (cell, now) => `From ${cell.from} to ${cell.to}: ${figures(cell, now)}.`;

/** What the colours mean: where each begins. */
function Legend({ figure }) {
  const { steps, text, worse } = FIGURES[figure];
  const words = [0, 1, 2, 3, 4].map((at) => (at === 0 ? (worse > 0 ? (figure === "loss" ? "none" : "below " + text(steps[0])) : text(steps[0]) + " or more") : at === 1 && figure === "loss" ? "below " + text(steps[1])
    : worse > 0 ? "from " + text(steps[at - 1]) : "below " + text(steps[at - 1])));
  return html`<p class="scale">${words.map((word, at) => html`<span class=${"cell step" + at}>${word}</span>`)}<span class="cell old">older than an hour, or lost</span></p>`;
}

export function Matrix({ entries, now }) {
  const [figure, setFigure] = useState("roundTrip");
  const [chosenClass, setClass] = useState(null);
  const [sorted, setSorted] = useState(false);
  const servers = ofKind(entries, "observatory");
  const classes = [...new Set(ofKind(entries, "path").map((pair) => pair.class))].sort();
  const qosClass = classes.includes(chosenClass) ? chosenClass : classes.includes("be") ? "be" : classes[0];
  if (!servers.length) return html`<section><h2>Paths</h2><p class="none">No observatory is asked: <code>console run --observatory URL</code> shows what paths do.</p></section>`;
  const seen = matrix(entries, figure, qosClass, now);
  const [pairs, drawn] = ["pairs", "pairsDrawn"].map((field) => servers.reduce((sum, each) => sum + (each[field] ?? 0), 0));
  const old = seen.worst.filter((cell) => cell.old).length;
  const choose = (name, value, text, chosen, set) => html`<label><input type="radio" name=${name} value=${value} checked=${chosen} onChange=${() => set(value)} /> ${text}</label>`;
  return html`<section><h2>Paths between domains ${drawn < pairs && html`<span class="part">${drawn} of ${pairs} pairs told</span>`}</h2>
    ${servers.filter((each) => each.stale).map((each) => html`<p class="state failed">${each.name}: not seen since ${clock(each.stale)}: ${each.problem}</p>`)}
    <div class="choices"><fieldset><legend>Figure</legend>${Object.entries(FIGURES).map(([id, each]) => choose("figure", id, each.name, figure === id, setFigure))}</fieldset>
      ${classes.length > 1 && html`<fieldset><legend>Class</legend>${classes.map((each) => choose("class", each, each, qosClass === each, setClass))}</fieldset>`}
      <button type="button" aria-pressed=${sorted} onClick=${() => setSorted(!sorted)}>Worst first</button></div>
    ${!seen.cells.size ? html`<p class="none">Nothing has been measured yet.</p>` : sorted
      ? html`<${Table} caption=${FIGURES[figure].name + ", the worst first; old figures last"} head=${["From", "To", ...Object.values(FIGURES).map((each) => each.name)]} classes=${seen.worst.map((cell) => (cell.old ? "stale" : ""))}
          rows=${seen.worst.map((cell) => [cell.from, cell.to, ...Object.keys(FIGURES).map((id) => html`<${Figure} cell=${cell} id=${id} now=${now} lost=${servers.find((each) => each.node === cell.node)?.stale} />`)])} empty="Nothing of it has been measured." />`
      : html`<${Grid} seen=${seen} figure=${figure} now=${now} />`}
    <${Legend} figure=${figure} />
    <p class="quiet">${seen.worst.length} of ${seen.domains.length * (seen.domains.length - 1)} pairs have been measured${old ? ", " + old + " of them too long ago" : ""}. A domain that measures within itself stands on the diagonal.</p></section>`;
}

/** A figure of a pair in the list, with its age where it is old. */
function Figure({ cell, id, now, lost }) {
  const time = cell[id + "Time"];
  if (time === undefined) return html`<span class="quiet">–</span>`;
  const age = Math.max(0, now - time);
  const old = age > OLD_MILLIS || lost;
  return html`<span class=${"cell " + (old ? "old" : "step" + step(id, cell[id]))}>${FIGURES[id].text(cell[id])}</span> <span class="quiet">${span(age / 1000)} ago</span>`;
}

/** The table. One cell is a stop of the keyboard; arrows go from there. */
function Grid({ seen, figure, now }) {
  const table = useRef(null);
  const [at, setAt] = useState([0, 0]);
  const [chosen, choose] = useState(null);
  const domains = seen.domains.slice(0, MOST_DOMAINS);
  const limit = (index) => Math.min(domains.length - 1, Math.max(0, index));
  const here = at.map(limit);
  const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -MOST_DOMAINS], End: [0, MOST_DOMAINS] };
  const key = (event) => {
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    const to = [limit(here[0] + move[0]), limit(here[1] + move[1])];
    setAt(to);
    table.current.querySelector(`[data-at="${to.join(" ")}"]`)?.focus();
  };
  const cell = chosen && seen.cells.get(chosen);
  return html`<div class="scroll"><table class="matrix" ref=${table} onKeyDown=${key}>
    <caption>${FIGURES[figure].name} from the domain of the row to that of the column${domains.length < seen.domains.length && html` <span class="part">${domains.length} of ${seen.domains.length} domains drawn; the list has all</span>`}</caption>
    <thead><tr><th scope="col"><span class="hidden">From</span></th>${domains.map((to) => html`<th scope="col"><span title=${to}>${to}</span></th>`)}</tr></thead>
    <tbody>${domains.map((from, row) => html`<tr><th scope="row">${from}</th>${domains.map((to, column) => {
      const each = seen.cells.get(from + "|" + to);
      const known = each && each.value !== null;
      const label = known ? `${from} to ${to}: ${FIGURES[figure].text(each.value)}${each.old ? ", old: " + span(each.age / 1000) + " ago" : ""}` : `${from} to ${to}: ${from === to ? "itself" : "not measured"}`;
      return html`<td><button type="button" data-at=${row + " " + column} tabindex=${here[0] === row && here[1] === column ? 0 : -1} aria-label=${label} aria-pressed=${chosen === from + "|" + to} title=${label}
        class=${"cell " + (!known ? "none" : each.old ? "old" : "step" + step(figure, each.value))} onFocus=${() => setAt([row, column])} onClick=${() => choose(from + "|" + to)}>${known ? FIGURES[figure].text(each.value) : from === to ? "" : "–"}${
          known && each.old && html`<small>${span(each.age / 1000)}</small>`}</button></td>`;
    })}</tr>`)}</tbody></table></div>
    <p aria-live="polite" class="chosen">${cell ? sentence(cell, now) : chosen ? chosen.replace("|", " to ") + ": not measured." : "Choose a cell to see all of its path; arrows go from one to the next."}</p>`;
}
