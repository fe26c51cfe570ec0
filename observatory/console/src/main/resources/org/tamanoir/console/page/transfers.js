// What is copied: the transfers of queues.
import { clock, lateness, octets, ofKind, bits, span, transfers } from "./model.js";
import { html, Table } from "./views.js";

const OVER = ["done", "failed", "cancelled"];

/** The path of a place, without the host that stands beside it. */
const path = (place) => place?.replace(/^[a-z+]+:\/\/[^/]*/, "") || "/";

/** How far it is: a bar, and the figure. */
function Done({ one }) {
  if (!one.octets) return html`<span class="quiet">${one.done ? octets(one.done) : "–"}</span>`;
  const part = Math.min(100, Math.floor((100 * (one.state === "done" ? one.octets : one.done ?? 0)) / one.octets));
  return html`<span class="waits"><svg width="60" height="8" aria-hidden="true"><rect width="60" height="8" class="rail"/><rect width=${0.6 * part} height="8" class="bar"/></svg> ${part} % of ${octets(one.octets)}</span>`;
}

function words(one) {
  const why = [];
  if (!OVER.includes(one.state) && one.state !== "running" && one.bound && one.bound !== "retry") why.push("for the " + one.bound + (one.boundOf ? " " + one.boundOf : "") + (one.boundBy?.length ? ", where there are " + one.boundBy.join(", ") : ""));
  if (one.state === "waiting" && one.next) why.push("begins again at " + clock(one.next));
  if (one.reason && one.state !== "done") why.push(one.reason);
  return why.length ? ": " + why.join("; ") : "";
}

function Deadline({ one, now }) {
  if (!one.by && !one.wanted) return "–";
  const late = lateness(one, now);
  const asked = [one.by && "by " + clock(one.by), one.wanted && bits(one.wanted)].filter(Boolean).join(", ");
  return html`${asked}${late ? html` <span class="state failed">${late}</span>` : ""} <span class="quiet">${one.promised ? "promised" : "not promised"}</span>`;
}

export function Transfers({ entries, now }) {
  const queues = ofKind(entries, "queue");
  const all = transfers(entries);
  const total = queues.reduce((sum, queue) => sum + (queue.transfers ?? 0), 0);
  const of = new Map(queues.map((queue) => [queue.node, queue]));
  if (!queues.length) return html`<section><h2>Transfers</h2><p class="none">No queue of transfers is asked: <code>console run --queue URL</code> shows one.</p></section>`;
  const state = (queue, name) => queue.states?.[name] ?? 0;
  return html`<section><h2>Transfers</h2>
    <${Table} caption="Queues" head=${["Queue", "Runs", "Waits", "Done", "Failed", "Cancelled", "Copied", "Attempts that failed", "Late"]}
      rows=${queues.map((queue) => [html`${queue.name}${queue.stale && html` <span class="state failed">not seen since ${clock(queue.stale)}: ${queue.problem}</span>`}`, state(queue, "running"), state(queue, "queued") + state(queue, "waiting"), state(queue, "done"),
        state(queue, "failed"), state(queue, "cancelled"), octets(queue.octets ?? 0), queue.failedAttempts ?? 0, queue.late ?? 0])} />
    <${Table} caption="Those that run first, then those that wait, then those that ended last" all=${total} head=${["Transfer", "From", "To", "State", "Files", "Carried", "Rate", "Left", "To be there", "Journal had"]}
      classes=${all.map((one) => (of.get(one.node)?.stale ? "stale" : ""))}
      rows=${all.map((one) => [one.id + (queues.length > 1 ? " of " + of.get(one.node)?.name : ""), html`<strong>${one.from}</strong> ${(one.sources ?? []).map(path).join(", ")}`, html`<strong>${one.to}</strong> ${path(one.destination)}`,
        html`<span class=${"state " + (one.state === "done" ? "active" : one.state)}>${one.state}</span>${words(one)}`, one.ofFiles ? `${one.files} of ${one.ofFiles}` : one.files ?? "–", html`<${Done} one=${one} />`,
        one.state === "running" ? bits(one.rate ?? 0) : "–", one.state === "running" && one.secondsLeft !== undefined ? span(one.secondsLeft) : "–", html`<${Deadline} one=${one} now=${now} />`,
        one.resumed ? octets(one.resumed) : one.attempts > 1 || one.state === "running" ? "nothing" : "–"])} empty="No transfers." /></section>`;
}
