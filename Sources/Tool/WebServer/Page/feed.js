// SPDX-License-Identifier: MIT
// The connection to blectl: what is known is loaded, and the records follow from there.
import { now, setClock } from "./clock.js";
import { seconds } from "./format.js";

/// The records of before the load among which events are looked for.
const past = 5000;
/// Those without an event.
const quiet = /^\{"event":"(value|average|changed|found|read|written)"/;

export async function get(path) {
  const answer = await fetch(path, { credentials: "same-origin" });
  if (answer.status === 401) location.href = "login";
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

export class Feed {
  /// `load` takes what is known, `take` a record, `remember` one of before, `lost` whether the connection is lost.
  constructor(load, take, remember, lost) { Object.assign(this, { onLoad: load, take, remember, lost }); }

  async load() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.loaded = Date.now();
    try {
      const answer = await get("api/devices");
      setClock(seconds(answer.time));
      // Records of the old stream are already in the answer.
      this.source?.close();
      await this.onLoad(answer);
      this.follow(answer.id);
      // What a log has of the time before comes later than the page.
      if (answer.history) this.loadIn(1000);
    } catch {
      this.lost(true);
      this.loadIn(2000);
    }
  }

  loadIn(milliseconds) { this.timer ??= setTimeout(() => this.load(), milliseconds); }

  /// Loads again what may have become wrong, but not all the time: `pause` is in milliseconds.
  reload(pause = 10000) { this.loadIn(Math.max(500, this.loaded + pause - Date.now())); }

  follow(id) {
    const [epoch, last] = place(id);
    const seen = this.seen?.[0] === epoch ? this.seen[1] : 0;
    const begin = Math.max(0, last - past, seen);
    this.source?.close();
    const source = new EventSource(`api/records?after=${encodeURIComponent(`${epoch}-${begin}`)}`);
    this.source = source;
    source.addEventListener("open", () => this.lost(false));
    source.addEventListener("error", () => {
      this.lost(true);
      if (source.readyState === EventSource.CLOSED) this.loadIn(2000);
    });
    source.addEventListener("message", ({ data, lastEventId }) => {
      if (source !== this.source) return;
      const [server, number] = place(lastEventId || `${epoch}-${begin}`);
      // Another server: what it knows is loaded first.
      if (server !== epoch) { source.close(); this.load(); return; }
      this.seen = [epoch, number];
      if (number > last) this.receive(JSON.parse(data));
      else if (!quiet.test(data)) this.receivePast(JSON.parse(data), last - begin);
    });
  }

  receive(record) {
    this.take(record);
    if (record.event === "dropped") this.reload();
    // One of the two clocks was set.
    if (Math.abs(seconds(record.time) - now()) > 60) this.reload();
  }

  receivePast(record, count) {
    // The server forgets old records; only newer ones are missed.
    if (record.event !== "dropped") this.remember(record);
    else if (record.count > count) this.receive(record);
  }
}

/// The server and the number of a record.
function place(id) {
  const dash = id.lastIndexOf("-");
  return [id.slice(0, dash), Number(id.slice(dash + 1))];
}
