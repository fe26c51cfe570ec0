// Tables and the logical view. Everything that a server says is text: preact escapes it, and nothing here sets markup.
import { ask } from "./feed.js";
import { colour } from "./map.js";
import { bits, busiest, clock, columns, events, octets, ofKind, worst } from "./model.js";

export const html = htm.bind(preact.h);
const { useEffect, useState } = preactHooks;

const MOST_ROWS = 200;
/** Width of an end in the logical view. */
const BOX = 140;

/** A table with a caption; rows are lists of cells, a null cell is empty; classes has one for each row. Says how many rows there are beyond those shown. */
export function Table({ caption, head, rows, all, empty, classes }) {
  const shown = rows.slice(0, MOST_ROWS);
  const total = all ?? rows.length;
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${caption}><table>
    <caption>${caption}${shown.length < total && html` <span class="part">${shown.length} of ${total} shown</span>`}</caption>
    <thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
    <tbody>${shown.map((row, i) => html`<tr class=${classes?.[i] ?? ""}>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
  </table>${!rows.length && html`<p class="none">${empty}</p>`}</div>`;
}

/** Part of the time in which somebody had to wait, as a bar and a figure. */
function Waits({ part }) {
  if (!part) return html`<span class="quiet">–</span>`;
  return html`<span class="waits"><svg width="40" height="8" aria-hidden="true"><rect width="40" height="8" class="rail"/><rect width=${(40 * part) / 100} height="8" fill=${colour(part)}/></svg> ${part} %</span>`;
}

const name = (entries, node) => entries.get("node/" + node)?.name ?? entries.get("node/" + node)?.address ?? node;

/** Since when a node is not seen, or how it is; and whether its clock is another. */
export function Health({ node }) {
  const apart = node.clockMillis && `its clock is ${(Math.abs(node.clockMillis) / 1000).toFixed(1)} s ${node.clockMillis > 0 ? "ahead" : "behind"}`;
  return html`<span class=${node.stale || node.health !== "ok" ? "state failed" : ""}>${node.stale ? "not seen since " + clock(node.stale) : node.health}</span>${apart && html` <span class="state failed">${apart}</span>`}`;
}

/** Who makes whom wait. */
export function Worst({ net, since, now }) {
  const rows = worst(net.links, since);
  const of = (id) => net.ends.get(id)?.name ?? id;
  return html`<section class="worst"><h2>Who waits</h2>${rows.length ? html`<ol>${rows.slice(0, 8).map((each) => html`<li><strong>${of(each.slow)}</strong> makes ${of(each.waiting)} wait${" "}
      <${Waits} part=${each.part} /> <span class="quiet">${each.since && now - each.since > 3000 ? "for " + Math.round((now - each.since) / 1000) + " s" : "just now"}${each.follows ? ", as it waits itself" : ""}</span></li>`)}</ol>`
    : html`<p class="none">Nobody: every receiver takes what comes.</p>`}${rows.length > 8 && html`<p class="part">8 of ${rows.length} shown</p>`}</section>`;
}

/** Who is connected with whom, in columns from sources to destinations. */
export function Logical({ net, stale, entries }) {
  const [chosen, choose] = useState(null);
  const { drawn, all } = busiest(net.links, MOST_ROWS);
  const columnList = columns({ ends: net.ends, links: drawn });
  const [across, down] = [222, 46];
  const at = new Map();
  const height = Math.max(200, down * (1 + Math.max(1, ...columnList.map((column) => column.length))));
  columnList.forEach((column, x) => column.forEach((id, y) => at.set(id, [20 + x * across, 12 + (height * (y + 1)) / (column.length + 1)])));
  const most = Math.max(1, ...drawn.flatMap((link) => [link.rate, link.rateBack]));
  const line = (link, back) => {
    const [a, b] = [at.get(link.from), at.get(link.to)];
    const shift = back ? 4 : -4;
    const [x1, x2] = [a[0] + BOX, b[0]];
    return `M${x1} ${a[1] + shift}C${x1 + 40} ${a[1] + shift} ${x2 - 40} ${b[1] + shift} ${x2} ${b[1] + shift}`;
  };
  const shown = chosen && drawn.filter((link) => link.from === chosen || link.to === chosen);
  return html`<section><h2>Logical view ${drawn.length < all && html`<span class="part">${drawn.length} of ${all} links drawn</span>`}</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="Logical view"><svg class="logical" width=${20 + across * columnList.length} height=${height + 12} role="group" aria-label=${`${net.ends.size} ends and ${drawn.length} links`}>
      ${drawn.map((link) => [false, true].map((back) => {
        const rate = back ? link.rateBack : link.rate;
        return html`<path d=${line(link, back)} fill="none" stroke=${colour(back ? link.waitsBack : link.waits, stale)} stroke-width=${rate ? 1 + 4 * Math.sqrt(rate / most) : 1}
          opacity=${shown && !shown.includes(link) ? 0.1 : rate ? 0.8 : 0.3} />`;
      }))}
      ${drawn.filter((link) => !shown || shown.includes(link)).map((link) => {
        const [a, b] = [at.get(link.from), at.get(link.to)];
        return html`<text class="rate" x=${(a[0] + BOX + b[0]) / 2} y=${(a[1] + b[1]) / 2 - 8}>${link.rate >= link.rateBack ? bits(link.rate) : "◂ " + bits(link.rateBack)}</text>`;
      })}
      ${groups(net, columnList, at).map(({ id, x, top, bottom }) => html`<g class="group"><rect x=${x - 8} y=${top - 24} width=${BOX + 16} height=${bottom - top + 48} rx="8" /><text x=${x - 2} y=${top - 28}>behind ${net.ends.get(id).name}</text></g>`)}
      ${[...at].map(([id, [x, y]]) => {
        const end = net.ends.get(id);
        const ill = (end.node && (end.node.health !== "ok" || end.node.stale)) || (end.member && end.member.standing !== "IN");
        return html`<g class=${"end" + (end.node ? " node" : end.pool ? " virtual" : "") + (ill ? " ill" : "") + (stale || end.node?.stale || end.pool?.director.stale ? " stale" : "")} tabindex="0" role="button" aria-pressed=${chosen === id}
          aria-label=${(end.node ? "node " : end.pool ? "virtual address " : "host ") + end.name + (end.member ? ", " + end.member.standing?.toLowerCase() : "")} onClick=${() => choose(chosen === id ? null : id)} onKeyDown=${(event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), choose(chosen === id ? null : id))}>
          <rect x=${x} y=${y - 15} width=${BOX} height="30" rx="5" /><text x=${x + 8} y=${y + 4}>${short(end.name, end.member)}</text><title>${end.name}</title></g>`;
      })}
    </svg></div>
    ${chosen && html`<${End} net=${net} id=${chosen} entries=${entries} />`}
  </section>`;
}

/** What fits into the box of an end; of a member with what it gets of its cluster's streams. */
function short(name, member) {
  const says = !member ? "" : member.standing !== "IN" ? " · " + member.standing?.toLowerCase() : member.weight !== undefined ? " · weight " + member.weight : "";
  const most = 19 - says.length;
  return (name.length > most ? name.slice(0, most - 1) + "…" : name) + says;
}

/** The frames around members of one cluster in one column. */
function groups(net, columnList, at) {
  const found = new Map();
  columnList.forEach((column, x) => column.forEach((id) => {
    const group = net.ends.get(id).group;
    if (!group) return;
    const [left, y] = at.get(id);
    const frame = found.get(group + " " + x) ?? { id: group, x: left, top: y - 15, bottom: y + 15 };
    found.set(group + " " + x, { ...frame, top: Math.min(frame.top, y - 15), bottom: Math.max(frame.bottom, y + 15) });
  }));
  return [...found.values()];
}

/** What is known of one end of the logical view. */
function End({ net, id, entries }) {
  const end = net.ends.get(id);
  if (!end) return null;
  const links = net.links.filter((link) => link.from === id || link.to === id);
  return html`<section aria-live="polite"><h3>${end.name}</h3>
    ${end.member && html`<p>Back end ${end.member.member} behind ${net.ends.get(end.group).name}: ${end.member.standing?.toLowerCase()}${end.member.because && ", " + end.member.because}${end.member.weight !== undefined && ", weight " + end.member.weight}.</p>`}
    ${end.node && html`<${NodeFacts} node=${end.node} entries=${entries} />`}
    <${Table} caption="Links" head=${["From", "To", "Services", "Streams", "Rate", "Back", "Waits", "Round trip"]} rows=${links.map((link) => [net.ends.get(link.from).name, net.ends.get(link.to).name,
      [...link.services].join(", "), link.streams, bits(link.rate), bits(link.rateBack), html`<${Waits} part=${Math.max(link.waits, link.waitsBack)} />`, link.trip ? (link.trip / 1000).toFixed(1) + " ms" : "unknown"])} empty="No links." />
  </section>`;
}

function NodeFacts({ node, entries }) {
  const hops = ofKind(entries, "hop").filter((hop) => hop.node === node.node);
  return html`<dl class="facts">
      <dt>Address</dt><dd>${node.address}</dd><dt>Place</dt><dd>${node.place ?? "unknown: say it with places: in its configuration"}</dd><dt>Version</dt><dd>${node.version}</dd>
      <dt>Health</dt><dd><${Health} node=${node} />${node.problems && ": " + JSON.stringify(node.problems)}</dd>
      <dt>Streams</dt><dd>${node.streams ?? 0} open, ${node.opened ?? 0} since it began, ${node.completed ?? 0} ended well</dd>
      <dt>Memory of streams</dt><dd>${octets(node.memory ?? 0)} of ${octets(node.memoryLimit ?? 0)}</dd>
      <dt>Errors</dt><dd>${Object.entries(node.errors ?? {}).map(([code, count]) => code + ": " + count).join(", ") || "none"}</dd>
    </dl>
    <${Table} caption="Next hops" head=${["Next hop", "For", "State", "Because it", "Streams", "Failures"]} rows=${hops.map((hop) => [hop.to, hop.prefixes.join(", "), hop.state, hop.because, hop.streams, hop.failures])} empty="It delivers by itself." />`;
}

/** Those that are not well first, and everything about the one that is chosen. */
export function Nodes({ entries }) {
  const [chosen, choose] = useState(null);
  const ill = (node) => (node.stale || node.health !== "ok" || node.clockMillis ? 0 : 1);
  const nodes = ofKind(entries, "node").sort((a, b) => ill(a) - ill(b));
  const open = nodes.length === 1 ? nodes[0].key : chosen;
  return html`<section><h2>Nodes</h2><${Table} caption="Those that are not well first" head=${["Node", "Place", "Version", "Health", "Streams", "Rate", "Back", "Memory", ""]}
      rows=${nodes.map((node) => [node.name ?? node.address, node.place ?? "unknown", node.version ?? "–", html`<${Health} node=${node} />`,
        node.streams ?? "–", bits(node.rate ?? 0), bits(node.rateBack ?? 0), octets(node.memory ?? 0),
        html`<button type="button" aria-expanded=${open === node.key} aria-label=${"All of " + (node.name ?? node.address)} onClick=${() => choose(chosen === node.key ? null : node.key)}>All</button>`])} empty="No node is known." />
    ${nodes.filter((node) => node.key === open).map((node) => html`<article class=${node.stale ? "stale" : ""}><h3>${node.name ?? node.address}</h3><${NodeFacts} node=${node} entries=${entries} /></article>`)}</section>`;
}

/** Streams that carry most, and what one of them is about. */
export function Streams({ entries, gathered }) {
  const [filter, setFilter] = useState("");
  const [chosen, choose] = useState(null);
  const nodes = ofKind(entries, "node");
  const open = nodes.reduce((sum, node) => sum + (node.streams ?? 0), 0);
  const all = ofKind(entries, "stream").sort((a, b) => (a.state === "ended") - (b.state === "ended") || b.rate + b.rateBack - a.rate - a.rateBack);
  const words = (stream) => [name(entries, stream.node), stream.from, stream.to, stream.next, stream.state, ...(stream.services ?? []), stream.reason ?? "", stream.identity ?? ""].join(" ").toLowerCase();
  const found = filter ? all.filter((stream) => words(stream).includes(filter.toLowerCase())) : all;
  const told = all.filter((stream) => stream.state !== "ended").length;
  return html`<section><h2>Streams ${told < open && html`<span class="part">${told} of ${open} told, those that carry most</span>`}</h2>
    <p><label>Only with <input type="search" value=${filter} onInput=${(event) => setFilter(event.target.value)} placeholder="an address, a service, a state" /></label></p>
    <${Table} caption=${filter ? `Streams with “${filter}”` : "Open streams, and those that ended in the last seconds"} head=${["Node", "No", "From", "To", "Services", "State", "Rate", "Back", "Carried", "Waits", ""]}
      rows=${found.map((stream) => [name(entries, stream.node), stream.number, stream.from, stream.to ?? "–",
        (stream.services ?? []).map((service, i) => service + (stream.versions?.[i] ? " " + stream.versions[i] : "")).join(", "), stream.state + (stream.reason ? ": " + stream.reason : ""), bits(stream.rate), bits(stream.rateBack),
        octets(stream.in + stream.back), html`<${Waits} part=${Math.max(stream.waits, stream.waitsBack)} />`,
        html`<button type="button" aria-expanded=${chosen === stream.key} aria-label=${"Why, of stream " + stream.number} onClick=${() => choose(chosen === stream.key ? null : stream.key)}>Why</button>`])} empty="No streams." />
    ${chosen && entries.get(chosen) && html`<${Why} stream=${ofKind(entries, "stream").find((stream) => stream.key === chosen)} gathered=${gathered} />`}
  </section>`;
}

/** Where a stream runs and why, and why it is no faster: asked of its node. */
function Why({ stream, gathered }) {
  const [answers, setAnswers] = useState({});
  useEffect(() => {
    const base = gathered ? "/console/nodes/" + stream.node : "";
    let left = false;
    setAnswers({});
    for (const [what, path] of [["placement", "/explain/stream/" + stream.number], ["why", "/streams/" + stream.number + "/why"]]) {
      ask(base + path).then((answer) => answer.json()).catch((error) => ({ error: error.message })).then((answer) => left || setAnswers((before) => ({ ...before, [what]: answer })));
    }
    return () => { left = true; };
  }, [stream.key]);
  const { placement, why } = answers;
  return html`<section aria-live="polite"><h3>Stream ${stream.number}</h3><dl class="facts">
    <dt>Number in its packets</dt><dd>${stream.id}</dd><dt>Next hop</dt><dd>${stream.next ?? "–"}</dd><dt>Waited for its services</dt><dd>${stream.waitMillis} ms</dd>
    <dt>Round trip behind the node</dt><dd>${stream.trip ? (stream.trip / 1000).toFixed(1) + " ms" : "unknown"}</dd>
    ${stream.identity && html`<dt>Known as</dt><dd>${stream.identity}</dd>`}${stream.session && html`<dt>Session</dt><dd>${stream.session}</dd>`}
    <dt>Runs</dt><dd>${!placement ? "asking…" : placement.error ?? [placement.runs + ": " + placement.because, ...Object.entries(placement.notLower ?? {}).map(([level, reason]) => "not " + level + ", as " + reason)].join("; ")}</dd>
    <dt>No faster because</dt><dd>${!why ? "asking…" : why.error ?? why.why.sentence}</dd></dl></section>`;
}

export function Services({ entries }) {
  const failed = (service) => (service.state === "failed" ? 0 : 1);
  const services = ofKind(entries, "service").sort((a, b) => failed(a) - failed(b) || (a.name ?? a.typeId).localeCompare(b.name ?? b.typeId));
  return html`<section><h2>Services</h2><${Table} caption="Every version of every service, those that failed first" head=${["Node", "Service", "Version", "State", "New streams", "Streams", "Packets", "Failed", "From", "Reason"]}
    rows=${services.map((service) => [name(entries, service.node), service.name ?? service.typeId, service.version ?? "–", html`<span class=${"state " + service.state}>${service.state}</span>`, service.current ? "get it" : "–", service.streams, service.packets,
      service.failed, service.source ?? "–", [service.reason, service.advice].filter(Boolean).join(" → ")])} empty="No service runs: a stream that asks for one brings it." /></section>`;
}

/** The packets of a session, as a level names them, in a line. */
function flow(text) {
  try {
    const { transport, source, sourcePort, destination, destinationPort } = JSON.parse(text);
    const end = (host, port) => host + (port ? " port " + port : "");
    return [transport, end(source, sourcePort), "to", end(destination, destinationPort)].join(" ");
  } catch (error) {
    return text;
  }
}

export function Quality({ entries }) {
  const all = ofKind(entries, "qos");
  if (!all.length) return html`<section><h2>Quality of service</h2><p class="none">No node runs qosinus.</p></section>`;
  return html`<section><h2>Quality of service</h2>${all.map((qos) => html`<h3>${name(entries, qos.node)}</h3>
    <${Table} caption="Classes" head=${["Class", "Code points", "Capacity", "Allocated"]}
      rows=${(qos.classes ?? []).map((each) => [each.class, [...new Set(each.dscp ?? [])].join(", "), each.capacity ? bits(8 * each.capacity) : "what is left", bits(8 * (each.allocated ?? 0))])} empty="No classes are known." />
    <${Table} caption="Sessions" all=${qos.stored} head=${["Session", "Owner", "Flow", "Class", "State", "Packets", "Octets", "Dropped"]}
      rows=${(qos.sessions ?? []).map((each) => [each.session, each.owner, flow(each.flow), each.class ?? "–", each.state, each.packets, octets(each.octets), each.dropped])} empty="No sessions." />`)}</section>`;
}

export function Multicast({ entries }) {
  const handlers = ofKind(entries, "link").filter((link) => link.report?.sessions);
  const sessions = handlers.flatMap((link) => link.report.sessions.map((session) => ({ ...session, node: link.node })));
  const groups = new Map();
  for (const session of sessions) groups.set(session.session, [...(groups.get(session.session) ?? []), session]);
  return html`<section><h2>Reliable multicast</h2>${[...groups].map(([id, at]) => html`<${Table} caption=${"Session " + id + " to " + at[0].group} head=${["Node", "From", "Sends to", "Receivers here", "Missing now"]}
      rows=${at.map((each) => [name(entries, each.node), each.from, (each.links ?? []).join(", "), each.members, html`<span class=${each.missing ? "state failed" : ""}>${each.missing}</span>`])} />`)}
    ${!groups.size && html`<p class="none">No session is under way.</p>`}
    <${Counters} handlers=${handlers} entries=${entries} /></section>`;
}

/** What nodes have counted since they began, a column for each; what all of them have at 0 is left out. */
function Counters({ handlers, entries }) {
  const sums = new Map();
  for (const link of handlers) {
    const sum = sums.get(link.node) ?? {};
    for (const [counter, count] of Object.entries(link.report.counters ?? {})) sum[counter] = (sum[counter] ?? 0) + count;
    sums.set(link.node, sum);
  }
  const counters = [...new Set([...sums.values()].flatMap((sum) => Object.keys(sum).filter((counter) => sum[counter])))];
  return sums.size > 0 && html`<${Table} caption="Since the nodes began" head=${["Packets", ...[...sums.keys()].map((node) => name(entries, node))]}
    rows=${counters.map((counter) => [counter, ...[...sums.values()].map((sum) => sum[counter] ?? 0)])} empty="Nothing yet." />`;
}

export function Events({ entries }) {
  const all = events(entries);
  return html`<section><h2>Events</h2><${Table} caption="The newest first" head=${["Time", "Node", "About", "What"]} rows=${all.map((event) => [html`${clock(event.at)}${event.arrived && html` <span class="quiet">${clock(Date.parse(event.time))} by its own clock</span>`}`,
    name(entries, event.node), event.kind, event.text])} empty="Nothing has happened." /></section>`;
}
