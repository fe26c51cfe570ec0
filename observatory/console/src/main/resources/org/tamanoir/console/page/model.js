// What the page knows, without DOM and without clock: entries by key as the feed says them, and what is drawn of them.

/** Applies a frame of the feed; entries is a Map from key to fields. */
export function apply(entries, frame) {
  for (const key of frame.gone ?? []) entries.delete(key);
  for (const [key, fields] of Object.entries(frame.set ?? {})) {
    const entry = { ...entries.get(key), ...fields };
    for (const name of Object.keys(fields)) if (fields[name] === null) delete entry[name];
    entries.set(key, entry);
  }
}

/** The entries of a whole. */
export const whole = (state) => new Map(Object.entries(state.all));

/** All entries of a kind, with the node that they are of and the rest of the key. */
export function ofKind(entries, kind) {
  const found = [];
  const start = kind + "/";
  for (const [key, entry] of entries) {
    if (key.startsWith(start)) {
      const slash = key.indexOf("/", start.length);
      const node = slash < 0 ? key.slice(start.length) : key.slice(start.length, slash);
      found.push({ ...entry, key, node, rest: slash < 0 ? "" : key.slice(slash + 1) });
    }
  }
  return found;
}

const hostOf = (address) => address.replace(/:\d+$/, "").replace(/^\[(.*)]$/, "$1");

const join = (host, port) => (host.includes(":") ? "[" + host + "]:" : host + ":") + port;

/**
 * Pools of back ends, with their members: as front-ends say, or, where none is asked, as the nodes say of themselves. Directors that have the same pool are one: the one
 * that carries is believed.
 */
export function pools(entries) {
  const nodes = ofKind(entries, "node");
  const byAddress = new Map(nodes.map((node) => [node.address, node.node]));
  const byName = new Map(nodes.filter((node) => node.cluster?.name).map((node) => [node.cluster.name, node.node]));
  const directors = new Map(ofKind(entries, "frontend").map((each) => [each.node, each]));
  const told = ofKind(entries, "member");
  const found = new Map();
  for (const pool of ofKind(entries, "pool")) {
    const director = directors.get(pool.node) ?? {};
    const virtual = (pool.addresses ?? []).map((address) => join(address, pool.port));
    const key = "pool " + (virtual[0] ?? pool.pool);
    const before = found.get(key);
    if (before && (before.director.stale || !before.director.carries ? director.stale || !director.carries : true)) continue;
    const members = told.filter((each) => each.node === pool.node && each.pool === pool.pool)
      .map((each) => ({ ...each, address: join(each.address, each.port), node: byAddress.get(join(each.address, each.port)) ?? byName.get(each.member) ?? null }));
    found.set(key, { ...pool, key, virtual, director, members });
  }
  const known = new Set([...found.values()].flatMap((pool) => pool.members.map((member) => member.node)));
  for (const node of nodes) {
    const virtual = node.cluster?.virtual ?? [];
    if (!virtual.length || known.has(node.node)) continue;
    const key = "pool " + virtual[0];
    if (!found.has(key)) found.set(key, { key, pool: node.cluster.pool ?? "", virtual, director: {}, members: [], own: true });
    if (found.get(key).own) found.get(key).members.push({ member: node.cluster.name, address: node.address, node: node.node, standing: (node.cluster.frontends?.[0]?.standing ?? "unknown").toUpperCase(), load: node.cluster.load ?? {}, rate: 0, rateBack: 0 });
  }
  return [...found.values()];
}

const NOTHING = { in: 0, back: 0, rate: 0, rateBack: 0, streams: 0, waits: 0, waitsBack: 0, trip: 0, services: [] };

/**
 * Who is connected with whom. Ends are nodes, virtual addresses of clusters, or hosts that no node of the feed is. Each node tells of the packets that it passes on:
 * from whom, and to whom. Where both ends of a link are nodes, the one before says what passes, as it knows how long the one behind made it wait. What comes to a
 * member of a cluster comes through its virtual address.
 */
export function network(entries) {
  const nodes = ofKind(entries, "node");
  const byId = new Map(nodes.map((node) => [node.node, node]));
  const byAddress = new Map(nodes.map((node) => [node.address, node.node]));
  const places = new Map(ofKind(entries, "place").map((place) => [place.name, place]));
  const clusters = pools(entries);
  const virtual = new Map(clusters.flatMap((pool) => pool.virtual.map((address) => [address, pool])));
  const memberOf = new Map();
  const before = previous(ofKind(entries, "stream"), byAddress, virtual);
  const ends = new Map(nodes.map((node) => [node.node, { id: node.node, node, name: node.name ?? node.address, place: node.place }]));
  const links = new Map();

  const host = (address, place) => {
    if (!ends.has(address)) ends.set(address, { id: address, node: null, name: address, place });
    return address;
  };
  const add = (from, to, figures) => {
    const key = from + "|" + to;
    const link = links.get(key) ?? { key, from, to, in: 0, back: 0, rate: 0, rateBack: 0, streams: 0, waits: 0, waitsBack: 0, trip: 0, services: new Set() };
    for (const name of ["in", "back", "rate", "rateBack", "streams"]) link[name] += figures[name];
    for (const name of ["waits", "waitsBack"]) link[name] = Math.max(link[name], figures[name]);
    link.trip = link.trip && figures.trip ? Math.min(link.trip, figures.trip) : link.trip || figures.trip;
    figures.services.forEach((service) => link.services.add(service));
    links.set(key, link);
  };

  for (const pool of clusters) {
    const place = pool.members.map((member) => byId.get(member.node)?.place).find(Boolean);
    ends.set(pool.key, { id: pool.key, node: null, name: pool.virtual[0] ?? pool.pool, place, pool });
    for (const member of pool.members) {
      const id = member.node ?? host(member.address, place);
      Object.assign(ends.get(id), { group: pool.key, member });
      if (!member.node) ends.get(id).name = member.member ?? member.address;
      memberOf.set(id, pool);
      // One that is no node of the feed: what its director has counted.
      add(pool.key, id, member.node ? NOTHING : { ...NOTHING, rate: member.rate ?? 0, rateBack: member.rateBack ?? 0 });
    }
  }
  for (const edge of ofKind(entries, "edge")) {
    const earlier = before.get(edge.node + "|" + edge.from);
    const pool = memberOf.get(edge.node);
    const next = edge.last ? null : virtual.get(edge.to)?.key ?? byAddress.get(edge.to);
    // What the node before tells of the same link is not told twice.
    if (!earlier) add(host(edge.from, edge.fromPlace), pool?.key ?? edge.node, { ...edge, waits: 0, trip: 0 });
    if (pool) add(pool.key, edge.node, { ...edge, waits: 0, waitsBack: 0, trip: 0 });
    add(edge.node, next ?? host(edge.to, edge.toPlace), { ...edge, waitsBack: earlier ? edge.waitsBack : 0 });
  }
  return { nodes, byId, places, ends, clusters, links: [...links.values()] };
}

/** By node and host of a stream's source: the node that the stream came through before. The number of a stream is the same at every node. */
function previous(streams, byAddress, virtual) {
  const leading = new Map();
  for (const stream of streams) {
    const next = virtual.get(stream.next)?.members.map((member) => member.node) ?? [byAddress.get(stream.next)];
    for (const node of next) if (node && stream.id) leading.set(node + "|" + stream.id, stream.node);
  }
  const before = new Map();
  for (const stream of streams) {
    const node = leading.get(stream.node + "|" + stream.id);
    if (node && node !== stream.node && stream.from) before.set(stream.node + "|" + hostOf(stream.from), node);
  }
  return before;
}

/** Links between places, for the map: those within one place are left out, and those with an end that has no place are counted. */
export function sites(net) {
  const found = new Map();
  const unplaced = new Set();
  const site = (end) => {
    const place = end.place && net.places.get(end.place);
    if (!place) {
      unplaced.add(end.id);
      return null;
    }
    if (!found.has(place.name)) found.set(place.name, { ...place, ends: new Map() });
    found.get(place.name).ends.set(end.id, end);
    return place.name;
  };
  net.ends.forEach(site);
  const links = new Map();
  let within = 0;
  let without = 0;
  for (const link of net.links) {
    const [from, to] = [net.ends.get(link.from), net.ends.get(link.to)].map(site);
    if (from === null || to === null) without++;
    else if (from === to) within++;
    else {
      const key = from + "|" + to;
      const sum = links.get(key) ?? { key, from, to, in: 0, back: 0, rate: 0, rateBack: 0, streams: 0, waits: 0, waitsBack: 0, trip: 0 };
      for (const name of ["in", "back", "rate", "rateBack", "streams"]) sum[name] += link[name];
      for (const name of ["waits", "waitsBack"]) sum[name] = Math.max(sum[name], link[name]);
      sum.trip = Math.max(sum.trip, link.trip);
      links.set(key, sum);
    }
  }
  return { sites: [...found.values()], links: [...links.values()], unplaced: unplaced.size, within, without };
}

/** The links that are drawn, those that carry most first, and how many there are. */
export function busiest(links, most) {
  const sorted = [...links].sort((a, b) => b.rate + b.rateBack - a.rate - a.rateBack);
  return { drawn: sorted.slice(0, most), all: links.length };
}

/**
 * Who makes whom wait, by the part of the last half second, and since when. Causes come first: who waits for somebody itself makes others wait for that reason alone.
 */
export function worst(links, since) {
  const found = [];
  for (const link of links) {
    if (link.waits > 0) found.push({ key: link.key, slow: link.to, waiting: link.from, part: link.waits, since: since.get(link.key) });
    if (link.waitsBack > 0) found.push({ key: link.key, slow: link.from, waiting: link.to, part: link.waitsBack, since: since.get(link.key) });
  }
  const waiting = new Set(found.map((each) => each.waiting));
  return found.map((each) => ({ ...each, follows: waiting.has(each.slow) })).sort((a, b) => a.follows - b.follows || b.part - a.part);
}

// Spheres, as geeViz drew them (seed 003, section 4.3): each stands for so many octets; they go as fast as the link's latency lets packets go, and as many set out as octets do.

/** Octets of a sphere, so that the busiest link has at most about five a second: a power of ten. */
export function sphereOctets(bitsPerSecond) {
  return 10 ** Math.max(3, Math.ceil(Math.log10(Math.max(1, bitsPerSecond / 8 / 5))));
}

/** When spheres set out, in a time in which a counter of octets has gone from one value to another. */
export function departures(before, after, octets, begin, end) {
  const first = Math.floor(before / octets);
  const last = Math.floor(after / octets);
  const times = [];
  for (let n = first + 1; n <= last; n++) times.push(begin + (end - begin) * Math.min(1, (n * octets - before) / (after - before)));
  return times;
}

/** Seconds on the way, of a link with a round trip of so many microseconds: forty times what a packet needs; one second where it is not known. */
export const travelSeconds = (trip) => (trip ? Math.min(12, Math.max(0.4, (trip / 2e6) * 40)) : 1);

/**
 * Columns of the logical view: sources, then each node behind those that send to it, then destinations. Circles are broken where they are met.
 */
export function columns(net) {
  const incoming = new Map();
  for (const link of net.links) incoming.set(link.to, [...(incoming.get(link.to) ?? []), link.from]);
  const depth = new Map();
  const find = (id, path) => {
    if (depth.has(id)) return depth.get(id);
    if (path.has(id)) return 0;
    const earlier = (incoming.get(id) ?? []).map((from) => find(from, new Set([...path, id])) + 1);
    const found = Math.max(0, ...earlier);
    depth.set(id, found);
    return found;
  };
  const touched = new Set(net.links.flatMap((link) => [link.from, link.to]));
  const ids = [...net.ends.keys()].filter((id) => touched.has(id) || net.ends.get(id).node);
  const made = [];
  for (const id of ids) {
    const at = find(id, new Set());
    (made[at] ??= []).push(id);
  }
  // Members of a cluster stand together.
  const order = (id) => (net.ends.get(id).group ?? "") + " " + id;
  return made.map((column) => (column ?? []).sort((a, b) => (order(a) < order(b) ? -1 : 1))).filter((column) => column.length);
}

// What paths do, as an observatory knows it.

/** A figure that is older does not count for costs, and is grey here. */
export const OLD_MILLIS = 3_600_000;

/**
 * Figures of the matrix: what they are called, how they are written, where each of the five colours begins, and whether more of it is worse.
 */
export const FIGURES = {
  roundTrip: { name: "Round trip", text: (ms) => (ms < 10 && ms % 1 ? ms.toFixed(1) : Math.round(ms)) + " ms", steps: [5, 25, 75, 150], worse: 1 },
  loss: { name: "Loss", text: (part) => (part === 0 ? "0" : part < 0.0995 ? (100 * part).toFixed(part < 0.00995 ? 2 : 1) : Math.round(100 * part)) + " %", steps: [1e-9, 0.001, 0.01, 0.05], worse: 1 },
  throughput: { name: "Throughput", text: (mbits) => bits(mbits * 1e6), steps: [1000, 300, 100, 30], worse: -1 },
};

/** From 0, good, to 4; how bad a figure is. */
export const step = (figure, value) => FIGURES[figure].steps.filter((begin) => (FIGURES[figure].worse > 0 ? value >= begin : value < begin)).length;

/** One figure of all pairs in a class: domains by name, cells by "from|to", and the cells from the worst to the best, old ones last. */
export function matrix(entries, figure, qosClass, now) {
  const servers = new Map(ofKind(entries, "observatory").map((each) => [each.node, each]));
  const cells = new Map();
  for (const pair of ofKind(entries, "path")) {
    if (pair.class !== qosClass) continue;
    const key = pair.from + "|" + pair.to;
    const time = pair[figure + "Time"];
    const cell = { ...pair, id: key, value: time === undefined ? null : pair[figure], age: time === undefined ? null : Math.max(0, now - time) };
    cell.old = cell.value === null || cell.age > OLD_MILLIS || !!servers.get(pair.node)?.stale;
    const before = cells.get(key);
    // Of two observatories the newer figure counts.
    if (!before || before.value === null || (cell.value !== null && cell.age < before.age)) cells.set(key, cell);
  }
  const domains = [...new Set([...cells.values()].flatMap((cell) => [cell.from, cell.to]))].sort();
  const order = (a, b) => a.old - b.old || FIGURES[figure].worse * (b.value - a.value) || (a.id < b.id ? -1 : 1);
  return { domains, cells, worst: [...cells.values()].filter((cell) => cell.value !== null).sort(order) };
}

/** How long something takes or was, in one unit. */
export function span(seconds) {
  const units = [[86400, "d"], [3600, "h"], [60, "min"]];
  const [unit, name] = units.find(([length]) => seconds >= length) ?? [1, "s"];
  return Math.round(seconds / unit) + " " + name;
}

/** Transfers in the order in which a person looks for them: those that run, those that wait, those that are over, the newest of these first. */
export function transfers(entries) {
  const rank = (one) => (one.state === "running" ? 0 : ["done", "failed", "cancelled"].includes(one.state) ? 2 : 1);
  const number = (one) => Number(/\d+$/.exec(one.id)?.[0] ?? 0);
  return ofKind(entries, "transfer").sort((a, b) => rank(a) - rank(b) || (rank(a) === 2 ? (b.since ?? 0) - (a.since ?? 0) : number(a) - number(b)));
}

/** Whether a transfer will miss its time: "late", "at risk" where what is left takes longer than there is, or null. */
export function lateness(one, now) {
  if (!one.by) return null;
  if (one.state === "done") return one.since > one.by ? "late" : null;
  if (now > one.by) return "late";
  return one.state === "running" && one.secondsLeft !== undefined && now + 1000 * one.secondsLeft > one.by ? "at risk" : null;
}

/** Events, the newest first. Those of a node whose clock is apart stand where they came. */
export function events(entries) {
  return ofKind(entries, "event").map((event) => ({ ...event, at: event.arrived ?? Date.parse(event.time) })).sort((a, b) => b.at - a.at);
}

const UNITS = ["", "k", "M", "G", "T", "P"];
function scaled(value, unit) {
  let at = 0;
  while (value >= 999.5 && at < UNITS.length - 1) {
    value /= 1000;
    at++;
  }
  return (at === 0 || value >= 99.95 ? Math.round(value) : value.toFixed(value >= 9.995 ? 1 : 2)) + " " + UNITS[at] + unit;
}
export const bits = (rate) => scaled(rate, "bit/s");
export const octets = (count) => scaled(count, "B");
export const clock = (millis) => new Date(millis).toTimeString().slice(0, 8);
