// The page: where it gets its entries, which view is open, and the line of time below.
import { apply, bits, clock, columns, network, ofKind, whole } from "./model.js";
import { follow, part, parts, rates, token } from "./feed.js";
import { inWords, loadLand, WorldMap } from "./map.js";
import { Cluster } from "./cluster.js";
import { Matrix } from "./matrix.js";
import { Transfers } from "./transfers.js";
import { Events, html, Logical, Multicast, Nodes, Quality, Services, Streams, Worst } from "./views.js";

const { useEffect, useRef, useState } = preactHooks;
const VIEWS = [["map", "Map"], ["logical", "Logical"], ["streams", "Streams"], ["transfers", "Transfers"], ["paths", "Paths"], ["nodes", "Nodes"], ["services", "Services"], ["quality", "Quality"], ["multicast", "Multicast"], ["cluster", "Cluster"], ["events", "Events"]];
/** What lives for more than this is old. */
const STALE_MILLIS = 2000;
const HISTORY_POINTS = 1800;
/** Of the line of time. */
const HEIGHT = 84;

/** The view that the address names; null for the one that suits what there is to be seen. */
const view = () => (VIEWS.some(([id]) => "#" + id === location.hash) ? location.hash.slice(1) : null);

function Page() {
  const [shown, setShown] = useState(null);
  const [live, setLive] = useState({ state: "begin", why: "" });
  const [open, setOpen] = useState(view());
  const [past, setPast] = useState(null);
  const [now, setNow] = useState(Date.now());
  const track = useRef({ arrived: 0, waits: new Map(), rates: [], past: false });

  useEffect(() => {
    const hash = () => setOpen(view());
    addEventListener("hashchange", hash);
    const timer = setInterval(() => setNow(Date.now()), 1000);
    let over = false;
    follow((entries, time) => {
      const state = track.current;
      state.arrived = Date.now();
      // Of the server's clock: this machine's may be another.
      state.rates.push([time / 1000, ...total(entries)]);
      if (state.rates.length > HISTORY_POINTS) state.rates.shift();
      if (!state.past) setShown({ entries, time, net: net(entries, time, state.waits) });
    }, (state, why) => {
      setLive({ state, why });
      // Also what went by while nobody was connected.
      if (state === "live") rates().then((points) => { track.current.rates = merged(points, track.current.rates); }).catch(() => {});
    }, () => over);
    return () => { over = true; clearInterval(timer); removeEventListener("hashchange", hash); };
  }, []);

  const go = (millis) => {
    track.current.past = millis !== null;
    setPast(millis);
  };
  const stale = live.state !== "live" || (track.current.arrived > 0 && now - track.current.arrived > STALE_MILLIS);
  const current = past === null ? shown : past.shown ?? shown;
  const id = open ?? (current && !current.net.places.size ? "logical" : "map");
  return html`
    <header><h1>Tamanoir</h1>
      ${shown && html`<p class="sum">${sum(shown.net)}</p>`}
      <p role="status" class=${"feed " + (past !== null ? "past" : stale ? "stale" : "live")}>${past !== null ? "as of " + clock(past.at) : stale ? (live.state === "token" ? "locked" : shown ? "no news since " + clock(shown.time) : "connecting") : "live"}</p>
    </header>
    <nav aria-label="Views">${VIEWS.map(([each, text]) => html`<a href=${"#" + each} aria-current=${each === id ? "page" : null}>${text}</a>`)}</nav>
    <main id="main" class=${stale && past === null ? "old" : ""}>
      ${live.state === "token" && html`<${Locked} why=${live.why} />`}
      ${current ? html`<${View} id=${id} shown=${current} stale=${stale && past === null} now=${current.time} waits=${track.current.waits} />`
        : live.state !== "token" && html`<p>${live.state === "lost" ? "The server does not answer: " + live.why : "Asking…"}</p>`}
    </main>
    ${shown && html`<${Time} rates=${track.current.rates} past=${past} go=${go} />`}`;
}

/** What the server remembers, and after it what has come here since. */
function merged(points, own) {
  const last = points.length ? points[points.length - 1][0] : 0;
  return [...points.map(([time, rate, back]) => [time / 1000, rate, back]), ...own.filter(([time]) => time * 1000 > last)].slice(-HISTORY_POINTS);
}

const total = (entries) => ofKind(entries, "node").reduce(([rate, back], node) => [rate + (node.rate ?? 0), back + (node.rateBack ?? 0)], [0, 0]);

function sum(network) {
  const streams = network.nodes.reduce((all, node) => all + (node.streams ?? 0), 0);
  const ill = network.nodes.filter((node) => node.stale || node.health !== "ok").length;
  const apart = network.nodes.filter((node) => node.clockMillis).length;
  return `${network.nodes.length} node${network.nodes.length === 1 ? "" : "s"}${ill ? ", " + ill + " not well" : ""}${apart ? ", " + apart + (apart === 1 ? " clock" : " clocks") + " apart" : ""} · ${streams} stream${streams === 1 ? "" : "s"}`;
}

/** The network, and since when each link has made somebody wait. */
function net(entries, time, waits) {
  const made = network(entries);
  const waiting = new Set();
  for (const link of made.links) {
    if (Math.max(link.waits, link.waitsBack) >= 10) {
      waiting.add(link.key);
      if (!waits.has(link.key)) waits.set(link.key, time);
    }
  }
  for (const key of waits.keys()) if (!waiting.has(key)) waits.delete(key);
  return made;
}

function View({ id, shown, stale, now, waits }) {
  const { entries, net } = shown;
  const gathered = entries.has("console/gathered");
  // Times in a recording are those of its day.
  const then = entries.get("console/replayed")?.time ?? now;
  switch (id) {
    case "logical": return html`<div class=${columns(net).length > 4 ? "split wide" : "split"}><${Logical} net=${net} stale=${stale} entries=${entries} /><${Worst} net=${net} since=${waits} now=${now} /></div>`;
    case "streams": return html`<${Streams} entries=${entries} gathered=${gathered} />`;
    case "transfers": return html`<${Transfers} entries=${entries} now=${then} />`;
    case "paths": return html`<${Matrix} entries=${entries} now=${then} />`;
    case "nodes": return html`<${Nodes} entries=${entries} />`;
    case "services": return html`<${Services} entries=${entries} />`;
    case "quality": return html`<${Quality} entries=${entries} />`;
    case "multicast": return html`<${Multicast} entries=${entries} />`;
    case "cluster": return html`<${Cluster} entries=${entries} />`;
    case "events": return html`<${Events} entries=${entries} />`;
    default: return html`<div class="split"><${MapView} net=${net} time=${shown.time} stale=${stale} /><${Worst} net=${net} since=${waits} now=${now} /></div>`;
  }
}

function MapView({ net, time, stale }) {
  const canvas = useRef(null);
  const map = useRef(null);
  const [world, setWorld] = useState(false);
  const [words, setWords] = useState(null);
  useEffect(() => {
    map.current = new WorldMap(canvas.current);
    window.tamanoirMap = map.current;
    loadLand().then(() => map.current?.layout());
    return () => { map.current.close(); map.current = null; };
  }, []);
  useEffect(() => { map.current && setWords(map.current.show(net, time, stale)); }, [time, stale]);
  useEffect(() => { map.current?.zoom(world); }, [world]);
  return html`<section class="map"><h2 class="hidden">Map</h2><canvas ref=${canvas} role="img" aria-label=${words ? inWords(words) : "Map"}></canvas>
    ${words && html`<p class="legend">A sphere is ${spheres(words.each)}; it goes as fast as the link's latency lets it. <button type="button" aria-pressed=${world} onClick=${() => setWorld(!world)}>Whole world</button>
      ${words.links.length < words.all && html` <span class="part">${words.links.length} of ${words.all} links drawn</span>`}
      ${words.unplaced > 0 && html` <span class="part">${count(words.unplaced, "end")} without a place, and ${count(words.without, "link")} to them, in the logical view alone</span>`}
      ${words.within > 0 && html` <span class="part">${count(words.within, "link")} within one place</span>`}</p>`}
  </section>`;
}

const count = (number, what) => number + " " + what + (number === 1 ? "" : "s");
const spheres = (each) => (each >= 1e9 ? each / 1e9 + " GB" : each >= 1e6 ? each / 1e6 + " MB" : each / 1e3 + " kB");

function Locked({ why }) {
  const send = (event) => {
    event.preventDefault();
    token(new FormData(event.target).get("token").trim());
    dispatchEvent(new Event("tamanoir-token"));
  };
  return html`<form class="locked" onSubmit=${send}><p>${why}</p><label>Token <input name="token" type="password" autocomplete="current-password" required /></label> <button>Look</button>
    <p class="quiet">It is kept until this tab is closed, and sent to this server only.</p></form>`;
}

/** The rate of the last minutes, and a way back into them. */
function Time({ rates, past, go }) {
  const chart = useRef(null);
  const plot = useRef(null);
  const [list, setList] = useState([]);
  const playing = useRef(null);
  useEffect(() => {
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--ink");
    const axis = { stroke: ink, grid: { stroke: style.getPropertyValue("--line"), width: 1 }, ticks: { show: false }, font: "11px system-ui" };
    const points = { show: false };
    plot.current = new uPlot({ width: chart.current.clientWidth, height: HEIGHT, legend: { show: false }, cursor: { show: false }, scales: { y: { range: (u, least, most) => [0, most || 1] } },
      axes: [{ ...axis, size: 22, space: 90, values: (u, ticks) => ticks.map((second) => clock(second * 1000)) }, { ...axis, size: 74, space: 22, values: (u, ticks) => ticks.map(bits) }],
      series: [{}, { stroke: "#0072b2", fill: "#0072b233", width: 1.5, points }, { stroke: "#e69f00", width: 1.5, points }] }, [[], [], []], chart.current);
    window.tamanoirRates = plot.current;
    const resize = new ResizeObserver(() => plot.current.setSize({ width: chart.current.clientWidth, height: HEIGHT }));
    resize.observe(chart.current);
    const look = () => parts().then(setList).catch(() => setList([]));
    look();
    const timer = setInterval(look, 15000);
    return () => { clearInterval(timer); clearTimeout(playing.current); resize.disconnect(); plot.current.destroy(); };
  }, []);
  useEffect(() => { plot.current?.setData([0, 1, 2].map((column) => rates.map((point) => point[column]))); }, [rates.length && rates[rates.length - 1][0]]);

  const first = list[0]?.from ?? 0;
  const last = Math.max(list[list.length - 1]?.to ?? 0, (rates[rates.length - 1]?.[0] ?? 0) * 1000);
  /** Shows how it was at a time, and plays on from there. */
  const show = async (millis) => {
    clearTimeout(playing.current);
    const found = [...list].reverse().find((each) => each.from <= millis) ?? list[0];
    if (!found) return;
    go({ at: millis });
    try {
      const frames = await part(found.number);
      const entries = whole(frames[0]);
      let at = 1;
      while (at < frames.length && frames[at].time <= millis) apply(entries, frames[at++]);
      const step = (time) => {
        go({ at: time, shown: { entries, time, net: network(entries) } });
        if (at < frames.length) {
          const next = frames[at++];
          playing.current = setTimeout(() => { apply(entries, next); step(next.time); }, Math.max(0, next.time - time));
        } else if (list[list.indexOf(found) + 1]) {
          playing.current = setTimeout(() => show(list[list.indexOf(found) + 1].from), 500);
        }
      };
      step(Math.min(millis, frames[Math.max(0, at - 1)].time));
    } catch (error) {
      go(null);
    }
  };
  const back = () => { clearTimeout(playing.current); go(null); };
  return html`<footer><div class="chart" ref=${chart} aria-hidden="true"></div>
    <div class="time"><label class="slide">Time <input type="range" min=${first} max=${last} step="1000" value=${past === null ? last : past.at} disabled=${!first} aria-valuetext=${past === null ? "now" : clock(past.at)}
      onChange=${(event) => show(Number(event.target.value))} /></label>
      <button type="button" onClick=${back} disabled=${past === null}>Live</button><span class="quiet">${first ? "back to " + clock(first) : "no history yet"}</span></div></footer>`;
}

const page = document.getElementById("page");
page.replaceChildren();
preact.render(html`<${Page} />`, page);
