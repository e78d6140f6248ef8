// SPDX-License-Identifier: MIT
// Charts of numbers over time: a panel for each field, with a common time axis and cursor.
import { now } from "./clock.js";
import { Line } from "./line.js";
import { Panel } from "./panel.js";
import { csv } from "./text.js";

/// The most lines, as on the server; and about how many points they have together.
const mostLines = 1000, mostPoints = 100000;
/// The milliseconds of a frame that drawing takes: longer drawings go on in the next one.
const slice = 12;

/// The most points of one of so many lines.
export function pointsEach(count) { return Math.min(1000, Math.max(60, Math.floor(mostPoints / Math.max(1, count)))); }

export class Charts {
  lines = new Map();
  panels = new Map();
  conditions = [];
  /// The seconds that are shown, until the newest moment; 0 is everything.
  span = 3600;
  /// The seconds that were chosen: zooming changes only what is shown.
  window = 3600;
  /// The end that is shown; undefined is now.
  end = undefined;
  cursor = undefined;
  #frame = undefined;
  #isWanted = false;
  #round = undefined;
  #cost = 0;
  #next = 0;

  /// `changed` is called for another time.
  constructor(container, changed) {
    this.container = container;
    this.changed = changed;
    let width = 0;
    new ResizeObserver(() => {
      if (width !== container.clientWidth) this.draw();
      width = container.clientWidth;
    }).observe(container);
  }

  /// Shows lines: { key, field, source, address, label, points }; with `keeps`, the same panels as before.
  show(lines, keeps) {
    this.#round = undefined;
    const known = this.lines;
    this.lines = new Map();
    if (!keeps) {
      this.cursor = undefined;
      this.panels.clear();
      this.container.replaceChildren();
    }
    for (const panel of this.panels.values()) panel.lines = [];
    const most = 2 * pointsEach(lines.length);
    const fields = new Map();
    for (const facts of lines.slice(0, mostLines)) {
      const line = new Line(facts, most);
      // What came while these were on their way.
      const loaded = line.points.at(-1)?.[0] ?? -Infinity;
      for (const point of known.get(line.key)?.points ?? []) if (point[0] > loaded) line.push(point);
      this.lines.set(line.key, line);
      fields.set(line.field, [...(fields.get(line.field) ?? []), line]);
    }
    for (const [field, of] of fields) this.panel(field).take(of);
    for (const [field, { lines: of, element }] of this.panels) {
      if (of.length > 0) continue;
      element.remove();
      this.panels.delete(field);
    }
    this.draw();
  }

  panel(field) {
    let panel = this.panels.get(field);
    if (!panel) {
      panel = new Panel(field);
      panel.changed = () => this.draw();
      this.listen(panel);
      this.panels.set(field, panel);
      this.container.append(panel.element);
    }
    return panel;
  }

  /// Adds a number to a line, which begins with it if `facts` returns what it is.
  add(key, time, value, facts) {
    let line = this.lines.get(key);
    if (!line) {
      const known = this.lines.size < mostLines ? facts() : undefined;
      if (!known) return;
      line = new Line(known, 2 * pointsEach(this.lines.size + 1));
      this.lines.set(key, line);
      this.panel(line.field).take([line]);
      this.draw();
    }
    line.add(time, value);
  }

  breakLines(prefix) {
    for (const line of this.lines.values()) if (line.key.startsWith(prefix)) line.break();
  }

  // The time that is shown.

  range() {
    const end = this.end ?? now();
    if (this.end !== undefined) return [end - this.span, end];
    let first = end;
    for (const line of this.lines.values()) first = Math.min(first, line.points[0]?.[0] ?? end);
    // There is nothing to see before the first value.
    const begin = Math.min(first, end - 10);
    return [this.span > 0 ? Math.max(begin, end - this.span) : begin, end];
  }

  /// Shows the time until the newest moment, of the length that was chosen.
  follow(window = this.window) {
    [this.window, this.span, this.end] = [window, window, undefined];
    this.changed();
    this.draw();
  }

  zoom(factor, middle) {
    const [start, end] = this.range();
    const center = middle ?? (this.end === undefined ? end : (start + end) / 2);
    const span = Math.min(Math.max((end - start) * factor, 5), 366 * 86400);
    const next = center + (end - center) * span / (end - start);
    this.select(next - span, next);
  }

  move(part) {
    const [start, end] = this.range();
    const step = (end - start) * part;
    this.select(start + step, end + step);
  }

  select(start, end) {
    this.span = end - start;
    this.end = end >= now() - this.span / 50 ? undefined : end;
    this.changed();
    this.draw();
  }

  // Drawing: once a frame, however often it is asked for.

  /// Draws what has come, about once a second: less often if that takes long.
  tick() { if (this.end === undefined && performance.now() >= this.#next) this.draw(); }

  draw() {
    this.#isWanted = true;
    this.drawCursor();
  }

  drawCursor() { this.#frame ??= requestAnimationFrame(() => this.#step()); }

  #step() {
    this.#frame = undefined;
    const begin = performance.now();
    if (!this.#round && this.#isWanted) {
      this.#isWanted = false;
      this.#cost = 0;
      this.#round = this.#paint();
    }
    while (this.#round && performance.now() < begin + slice) {
      if (this.#round.next().done) this.#round = undefined;
    }
    if (!this.#round) for (const panel of this.panels.values()) panel.drawCursor(this.cursor, this.drag);
    this.#cost += performance.now() - begin;
    this.#next = begin + Math.max(900, 20 * this.#cost);
    if (this.#round || this.#isWanted) this.drawCursor();
  }

  *#paint() {
    const [start, end] = this.range();
    const width = Math.max(240, this.container.clientWidth);
    for (const panel of this.panels.values()) yield* panel.draw(start, end, width, this.conditions);
  }

  // The mouse, fingers and keys.

  listen(panel) {
    const { picture } = panel;
    const point = event => {
      const box = picture.getBoundingClientRect();
      this.cursor = { time: panel.time(event.clientX - box.left), y: event.clientY - box.top, panel };
      this.drawCursor();
      return this.cursor.time;
    };
    picture.addEventListener("pointermove", point);
    picture.addEventListener("pointerleave", () => { if (this.drag !== undefined) return; this.cursor = undefined; this.drawCursor(); });
    picture.addEventListener("pointerdown", event => {
      if (event.pointerType !== "mouse") return;
      this.drag = point(event);
      // It may end beyond the chart.
      picture.setPointerCapture(event.pointerId);
    });
    picture.addEventListener("pointercancel", () => { this.drag = undefined; this.drawCursor(); });
    picture.addEventListener("pointerup", event => {
      const [start, end] = this.range();
      const [one, other] = [this.drag ?? 0, point(event)].sort((a, b) => a - b);
      const isWide = this.drag !== undefined && other - one > (end - start) / 50;
      this.drag = undefined;
      if (isWide) this.select(one, other);
    });
    picture.addEventListener("dblclick", () => this.zoom(4));
    picture.addEventListener("wheel", event => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, point(event));
    }, { passive: false });
    picture.addEventListener("keydown", event => this.press(event, panel));
    picture.addEventListener("blur", () => { if (this.cursor?.isKey) { this.cursor = undefined; this.drawCursor(); } });
  }

  press(event, panel) {
    const [start, end] = this.range();
    const step = (end - start) / 50;
    const time = this.cursor?.time;
    const read = at => { this.cursor = { time: at, isKey: true, panel }; };
    const actions = {
      ArrowLeft: () => read(Math.max(start, (time ?? end) - step)), ArrowRight: () => read(Math.min(end, (time ?? start) + step)),
      "+": () => this.zoom(0.5, time), "-": () => this.zoom(2, time), Escape: () => { this.cursor = undefined; },
      PageUp: () => this.move(-0.5), PageDown: () => this.move(0.5),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
    this.drawCursor();
  }

  csv() {
    const [start, end] = this.range();
    const shown = [...this.panels.values()].flatMap(panel => panel.lines.filter(line => !panel.hidden.has(line.key)));
    const rows = shown.flatMap(line => line.points.filter(point => point[0] >= start && point[0] <= end)
      .map(point => [new Date(point[0] * 1000).toISOString(), line.address, line.name, line.source, line.field, point[3], point[1], point[2]]));
    return csv([["time", "address", "name", "source", "field", "value", "minimum", "maximum"], ...rows]);
  }
}
