// Where entries come from: the live feed, or the minutes before.
import { apply, whole } from "./model.js";

const TOKEN = "tamanoir-token";

/** Refused for want of a token. */
export class NoToken extends Error {}

export function token(value) {
  if (value !== undefined) sessionStorage.setItem(TOKEN, value);
  return sessionStorage.getItem(TOKEN) ?? "";
}

/** Asks the server that the page is from. */
export async function ask(path, options = {}) {
  const known = token();
  const answer = await fetch(path, { ...options, headers: known ? { Authorization: "Bearer " + known } : {}, credentials: "same-origin" });
  if (answer.status === 401 || answer.status === 403) throw new NoToken((await answer.json().catch(() => ({}))).message ?? "a token is needed");
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).message ?? "HTTP " + answer.status);
  return answer;
}

/** The data of server-sent events, as they come. */
async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const pieces = (rest + value).split("\n\n");
    rest = pieces.pop();
    for (const piece of pieces) {
      const name = /^event: (.*)$/m.exec(piece)?.[1];
      const data = [...piece.matchAll(/^data: ?(.*)$/gm)].map((match) => match[1]).join("\n");
      if (name) yield { name, data };
    }
  }
}

const pause = (millis) => new Promise((done) => setTimeout(done, millis));

/**
 * Follows the feed for ever, and comes back after every loss: told(entries, time, number) for each frame, state("live" | "lost" | "token", why) when that changes.
 * A frame that is missing is noticed by its number; then the whole is asked for again.
 */
export async function follow(told, state, stopped = () => false) {
  let wait = 250;
  while (!stopped()) {
    const leaving = new AbortController();
    let alive = Date.now();
    // A connection on which nothing comes, not even a frame without changes, is none.
    const watch = setInterval(() => Date.now() - alive > 5000 && leaving.abort(new Error("nothing came for five seconds")), 1000);
    try {
      const first = await (await ask("/console/state", { signal: leaving.signal })).json();
      const entries = whole(first);
      let number = first.number;
      state("live");
      told(entries, first.time, number);
      const feed = await ask("/console/feed?since=" + number, { signal: leaving.signal });
      for await (const event of events(feed.body)) {
        alive = Date.now();
        if (event.name === "lost") break;
        const frame = JSON.parse(event.data);
        if (frame.number <= number) continue;
        if (frame.number !== number + 1) break;
        number = frame.number;
        wait = 250;
        apply(entries, frame);
        told(entries, frame.time, number);
        if (stopped()) break;
      }
      state("lost", "the server has ended the feed");
    } catch (error) {
      state(error instanceof NoToken ? "token" : "lost", error.message);
      if (error instanceof NoToken) await new Promise((done) => addEventListener("tamanoir-token", done, { once: true }));
    } finally {
      clearInterval(watch);
      leaving.abort();
    }
    await pause(wait);
    wait = Math.min(5000, wait * 2);
  }
}

/** What all nodes have carried in the last minutes: time, rate and rate back of each look, the oldest first. */
export const rates = async () => (await (await ask("/console/rates")).json()).points;

/** The parts of the history, the oldest first. */
export const parts = async () => (await (await ask("/console/history")).json()).parts;

/** The frames of one part: the first is a whole. */
export async function part(number) {
  const text = await (await ask("/console/history/" + number)).text();
  return text.trim().split("\n").map((line) => JSON.parse(line));
}
