// Clusters: directors, and the back ends behind each virtual address.
import { bits, clock, ofKind, pools } from "./model.js";
import { html, Table } from "./views.js";

const load = (of) => [of.streams !== undefined && of.streams + (of.streams === 1 ? " stream" : " streams"), of.cpu !== undefined && Math.round(100 * of.cpu) + " % of its processors", of.queueMost && Math.round((100 * of.queuedOctets) / of.queueMost) + " % of its queue",
  of.lagMillis >= 5 && Math.round(of.lagMillis) + " ms late"].filter(Boolean).join(", ") || "–";

/** The part of all streams of its pool that a member gets. */
function Weight({ member, most }) {
  if (member.weight === undefined) return html`<span class="quiet">–</span>`;
  return html`<span class="waits"><svg width="40" height="8" aria-hidden="true"><rect width="40" height="8" class="rail"/><rect width=${most ? (40 * member.weight) / most : 0} height="8" class="bar"/></svg> ${member.weight}</span>`;
}

const Standing = ({ member }) => html`<span class=${"state " + (member.standing === "IN" ? "active" : "failed")}>${member.standing?.toLowerCase()}</span>${member.because && ": " + member.because}`;

export function Cluster({ entries }) {
  const directors = ofKind(entries, "frontend");
  const all = pools(entries);
  const name = (id) => entries.get("node/" + id)?.name;
  const [told, drawn] = ["members", "membersDrawn"].map((field) => directors.reduce((sum, each) => sum + (each[field] ?? 0), 0));
  if (!directors.length && !all.length) {
    return html`<section><h2>Cluster</h2><p class="none">No node is a back end, and no front-end is asked: <code>console run --front-end URL</code> shows one.</p></section>`;
  }
  return html`<section><h2>Cluster${drawn < told && html` <span class="part">${drawn} of ${told} back ends told</span>`}</h2>
    ${directors.length > 0 && html`<${Table} caption="Directors" head=${["Front-end", "Engine", "Role", "Carries streams", "Upgrade", "Refused reports"]} classes=${directors.map((each) => (each.stale ? "stale" : ""))}
      rows=${directors.map((each) => [html`${each.name}${each.frontend && each.frontend !== each.name && " (" + each.frontend + ")"}${each.stale && html` <span class="state failed">not seen since ${clock(each.stale)}: ${each.problem}</span>`}`,
        html`${each.engine ?? "–"}${each.why && html` <span class="quiet">${each.why}</span>`}`, each.role ?? "–", html`<span class=${each.carries ? "state active" : "state failed"}>${each.carries ? "yes" : "no"}</span>${each.directorProblem && ": " + each.directorProblem}`,
        each.upgrade ?? "none", each.refused ?? 0])} />`}
    ${all.map((pool) => {
      const most = Math.max(0, ...pool.members.map((member) => member.weight ?? 0));
      const stale = pool.director.stale ? "stale" : "";
      return html`<${Table} caption=${`${pool.virtual.join(", ")}${pool.pool ? ", pool " + pool.pool : ""}${pool.scheduler ? ", by " + pool.scheduler.toLowerCase() : ""}${pool.method ? ", " + pool.method.toLowerCase() : ""}${pool.own ? ", as the nodes say" : ""}`}
        head=${["Back end", "Address", "State", "Weight", "Connections", "Rate", "Load", "Services"]} classes=${pool.members.map(() => stale)}
        rows=${pool.members.map((member) => [html`${member.member}${name(member.node) && name(member.node) !== member.member && html` <span class="quiet">${name(member.node)}</span>`}`, html`<span class="waits">${member.address}</span>`, html`<${Standing} member=${member} />`,
          html`<${Weight} member=${member} most=${most} />`, member.connections ?? "–", html`<span class="waits">${bits((member.rate ?? 0) + (member.rateBack ?? 0))}</span>`, load(member.load ?? {}), (member.services ?? []).join(", ")])} empty="No back end has reported." />`;
    })}</section>`;
}
