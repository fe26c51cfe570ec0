// The map: places from configuration, links between them, and spheres on their way. Drawn on a canvas; the tables say the same in words.
import { bits, departures, sites, sphereOctets, travelSeconds } from "./model.js";

const MOST_LINKS = 200;
const MOST_SPHERES = 4000;

/** The colour of half a link, by the part of the time in which its receiver took no more; safe for the colour-blind (Okabe and Ito). */
export const colour = (waits, stale) => (stale ? "#8a8f94" : waits >= 50 ? "#d55e00" : waits >= 10 ? "#e69f00" : "#0072b2");

let land = null;
export async function loadLand() {
  if (!land) {
    const atlas = await (await fetch("/page/parts/land-110m.json")).json();
    land = topojson.feature(atlas, atlas.objects.land);
  }
}

export class WorldMap {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.background = document.createElement("canvas");
    this.spheres = [];
    this.counted = new Map();
    this.view = null;
    this.frames = 0;
    this.sprite = new Map();
    this.still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.draw = this.draw.bind(this);
    this.resize = new ResizeObserver(() => this.layout());
    this.resize.observe(canvas);
    this.running = requestAnimationFrame(this.draw);
  }

  close() {
    cancelAnimationFrame(this.running);
    this.resize.disconnect();
  }

  /** Shows a network as it is at a time; stale when nothing has come for two periods. */
  show(net, time, stale) {
    const seen = sites(net);
    const key = seen.sites.map((site) => [site.name, site.latitude, site.longitude]).sort().join("|");
    this.seen = { ...seen, links: seen.links.sort((a, b) => b.rate + b.rateBack - a.rate - a.rateBack).slice(0, MOST_LINKS), all: seen.links.length };
    this.stale = stale;
    this.each = sphereOctets(Math.max(0, ...seen.links.flatMap((link) => [link.rate, link.rateBack])));
    if (key !== this.placed) {
      this.placed = key;
      this.layout();
    }
    this.depart(performance.now(), time);
    return { ...this.seen, each: this.each };
  }

  /** Spheres for what has passed since the frame before, spread over the time until the next. */
  depart(now, time) {
    const between = Math.min(2000, Math.max(100, time - (this.time ?? time - 500)));
    this.time = time;
    const next = new Map();
    for (const link of this.seen.links) {
      for (const back of [false, true]) {
        const key = link.key + (back ? "<" : ">");
        const count = back ? link.back : link.in;
        const before = this.counted.get(key);
        next.set(key, count);
        if (before === undefined || count < before || this.stale || this.still || document.hidden) continue;
        for (const begin of departures(before, count, this.each, now, now + between)) {
          if (this.spheres.length < MOST_SPHERES) this.spheres.push({ link: link.key, back, begin, end: begin + 1000 * travelSeconds(link.trip) });
        }
      }
    }
    this.counted = next;
  }

  zoom(world) {
    this.world = world;
    this.layout();
  }

  /** Projects places, and draws what does not move. */
  layout() {
    const ratio = devicePixelRatio || 1;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    if (!width || !height || !this.seen) return;
    for (const canvas of [this.canvas, this.background]) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const projection = d3.geoNaturalEarth1();
    const points = this.seen.sites.map((site) => [site.longitude, site.latitude]);
    const margin = 60;
    if (points.length && !this.world) {
      const [lon, lat] = [0, 1].map((axis) => points.map((point) => point[axis]));
      // At least some twenty degrees, so that one place is not a white spot.
      const grown = [[Math.min(...lon) - 8, Math.min(...lat) - 5], [Math.max(...lon) + 8, Math.max(...lat) + 5]];
      projection.fitExtent([[margin, margin], [width - margin, height - margin]], { type: "MultiPoint", coordinates: grown });
    } else {
      projection.fitExtent([[4, 4], [width - 4, height - 4]], { type: "Sphere" });
    }
    projection.clipExtent([[0, 0], [width, height]]);
    const style = getComputedStyle(document.documentElement);
    const paint = this.background.getContext("2d", { alpha: false });
    paint.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint.fillStyle = style.getPropertyValue("--sea");
    paint.fillRect(0, 0, width, height);
    if (land) {
      paint.beginPath();
      d3.geoPath(projection, paint)(land);
      paint.fillStyle = style.getPropertyValue("--land");
      paint.fill();
    }
    this.ink = style.getPropertyValue("--ink");
    this.halo = style.getPropertyValue("--halo");
    this.at = new Map(this.seen.sites.map((site) => [site.name, projection([site.longitude, site.latitude])]));
    this.view = { width, height, ratio };
  }

  /** A curve between two places; each direction has its own side. */
  curve(link, back) {
    const [a, b] = back ? [this.at.get(link.to), this.at.get(link.from)] : [this.at.get(link.from), this.at.get(link.to)];
    const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const bend = 0.12;
    return { a, b, c: [(a[0] + b[0]) / 2 + dy * bend, (a[1] + b[1]) / 2 - dx * bend] };
  }

  draw(now) {
    this.running = requestAnimationFrame(this.draw);
    if (!this.view || !this.seen || document.hidden) return;
    this.frames++;
    const { width, height, ratio } = this.view;
    const paint = this.context;
    paint.setTransform(1, 0, 0, 1, 0, 0);
    paint.drawImage(this.background, 0, 0);
    paint.setTransform(ratio, 0, 0, ratio, 0, 0);
    const curves = new Map();
    const most = Math.max(1, ...this.seen.links.map((link) => Math.max(link.rate, link.rateBack)));
    for (const link of this.seen.links) {
      if (!this.at.has(link.from) || !this.at.has(link.to)) continue;
      for (const back of [false, true]) {
        const curve = this.curve(link, back);
        curves.set(link.key + (back ? "<" : ">"), curve);
        const rate = back ? link.rateBack : link.rate;
        paint.strokeStyle = colour(back ? link.waitsBack : link.waits, this.stale);
        paint.globalAlpha = rate ? 0.75 : 0.3;
        paint.lineWidth = rate ? 1 + 5 * Math.sqrt(rate / most) : 1;
        paint.beginPath();
        paint.moveTo(...curve.a);
        paint.quadraticCurveTo(...curve.c, ...curve.b);
        paint.stroke();
      }
    }
    paint.globalAlpha = 1;
    this.spheres = this.spheres.filter((sphere) => sphere.end > now && curves.has(sphere.link + (sphere.back ? "<" : ">")));
    paint.fillStyle = this.halo;
    paint.strokeStyle = this.ink;
    paint.lineWidth = 1;
    paint.beginPath();
    let drawn = 0;
    for (const sphere of this.spheres) {
      if (sphere.begin > now) continue;
      const { a, b, c } = curves.get(sphere.link + (sphere.back ? "<" : ">"));
      const t = (now - sphere.begin) / (sphere.end - sphere.begin);
      const x = (1 - t) * (1 - t) * a[0] + 2 * t * (1 - t) * c[0] + t * t * b[0];
      const y = (1 - t) * (1 - t) * a[1] + 2 * t * (1 - t) * c[1] + t * t * b[1];
      paint.moveTo(x + 4, y);
      paint.arc(x, y, 4, 0, 2 * Math.PI);
      drawn++;
    }
    paint.fill();
    paint.stroke();
    this.drawnSpheres = drawn;
    this.names(paint);
  }

  names(paint) {
    paint.font = "13px system-ui, sans-serif";
    paint.textBaseline = "middle";
    const taken = [];
    for (const site of this.seen.sites) {
      const [x, y] = this.at.get(site.name) ?? [-99, -99];
      const ends = [...site.ends.values()];
      const nodes = ends.filter((end) => end.node);
      const ill = nodes.some((end) => end.node.stale || end.node.health !== "ok");
      paint.beginPath();
      paint.arc(x, y, nodes.length ? 7 : 4, 0, 2 * Math.PI);
      paint.fillStyle = this.stale || nodes.some((end) => end.node.stale) ? "#8a8f94" : ill ? "#d55e00" : nodes.length ? "#12364f" : "#5b6770";
      paint.fill();
      paint.strokeStyle = this.halo;
      paint.lineWidth = 2;
      paint.stroke();
      // Beside its place, on the side where there is room: of names that would lie on each other the first is written.
      const text = site.name + (nodes.length > 1 ? " (" + nodes.length + ")" : "");
      const long = paint.measureText(text).width;
      const free = [[x + 11, y], [x - 11 - long, y], [x - long / 2, y - 17], [x - long / 2, y + 17]].find(([left, middle]) => left >= 0 && left + long <= this.view.width
        && !taken.some((box) => left < box[0] + box[2] && box[0] < left + long && Math.abs(box[1] - middle) < 15));
      if (!free) continue;
      taken.push([...free, long]);
      paint.lineWidth = 3;
      paint.strokeStyle = this.halo;
      paint.strokeText(text, ...free);
      paint.fillStyle = this.ink;
      paint.fillText(text, ...free);
    }
  }
}

/** What the canvas shows, in a sentence. */
export function inWords(shown) {
  const first = shown.links[0];
  return `Map of ${shown.sites.length} places and ${shown.links.length} of ${shown.all} links between them` + (first ? `; the busiest is from ${first.from} to ${first.to} with ${bits(first.rate)}` : "") + ".";
}
