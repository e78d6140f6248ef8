// SPDX-License-Identifier: MIT
// A chart of one field: its axes, a line for each device, a legend that hides lines, and a list at the cursor.
import { now } from "./clock.js";
import { thresholds } from "./condition.js";
import { drawing, element, mark, named, set } from "./elements.js";
import { fieldName, isFlag, measured, moment } from "./format.js";
import { numberTicks, timeTicks } from "./scale.js";
import { natural } from "./text.js";

export const frame = { height: 170, left: 52, right: 10, top: 8, bottom: 22 };
const { height, left, right, top, bottom } = frame;
const base = height - bottom;
/// The most lines that have a band from their lowest to their highest value, that differ in their dashes, and that the list at
/// the cursor has.
const mostBands = 8, mostLooks = 60, mostListed = 8;

export class Panel {
  lines = [];
  hidden = new Set();
  summary = undefined;
  #paths = new Map();
  /// The colour and the dashes of each line.
  #looks = new Map();
  #isNew = false;

  constructor(field) {
    this.field = field;
    const { name, unit } = fieldName(field);
    this.name = name;
    this.title = unit ? `${name}, ${unit}` : name;
    this.now = element("span", { name: "now" });
    this.facts = element("p", { name: "facts" });
    this.picture = drawing("svg", { role: "img", tabindex: "0" });
    this.axes = drawing("g");
    this.drawn = drawing("svg", { class: "lines" });
    // The limits are above the lines, which may cover everything.
    this.limits = drawing("g");
    this.over = drawing("g");
    this.picture.append(this.axes, this.drawn, this.limits, this.over);
    this.list = element("ul", { name: "list", hidden: "" });
    this.legend = element("ul", { name: "legend" });
    this.all = element("button", { type: "button", name: "all", text: "Hide all", hidden: "" });
    this.all.addEventListener("click", () => this.toggleAll());
    this.element = element("figure", { name: "panel" }, element("div", { name: "head" }, element("h3", { text: this.title }), this.now, this.all), this.facts,
      element("div", { name: "plot" }, this.picture, this.list), this.legend);
  }

  // Lines, and the legend.

  /// Takes lines; the legend has them in the order of their names.
  take(lines) {
    for (const line of lines) {
      const count = this.#looks.size;
      if (!this.#looks.has(line.key)) this.#looks.set(line.key, `k${count % 8} d${Math.floor(count / 8) % 4}`);
      line.look = this.#looks.get(line.key);
      this.lines.push(line);
    }
    this.#isNew = true;
  }

  drawLegend() {
    this.#isNew = false;
    this.lines.sort((one, other) => natural(one.label, other.label));
    this.all.hidden = this.lines.length < 3;
    this.legend.hidden = this.lines.length < 2;
    const focused = this.legend.contains(document.activeElement) ? document.activeElement : undefined;
    if (this.lines.length > 1) this.legend.replaceChildren(...this.lines.map(line => (line.entry ?? this.entry(line)).parentNode));
    focused?.focus({ preventScroll: true });
  }

  entry(line) {
    const button = element("button", { type: "button", name: line.look, "aria-pressed": String(!this.hidden.has(line.key)), title: line.label }, named(line.label));
    button.addEventListener("click", () => {
      if (!this.hidden.delete(line.key)) this.hidden.add(line.key);
      this.showHidden();
    });
    for (const [event, isStrong] of [["pointerenter", true], ["pointerleave", false], ["focus", true], ["blur", false]]) {
      button.addEventListener(event, () => this.stress(line, isStrong));
    }
    line.entry = button;
    element("li", {}, button);
    return button;
  }

  toggleAll() {
    if (this.hidden.size > 0) this.hidden.clear();
    else for (const line of this.lines) this.hidden.add(line.key);
    this.showHidden();
  }

  showHidden() {
    for (const line of this.lines) if (line.entry) mark(line.entry, "aria-pressed", String(!this.hidden.has(line.key)));
    set(this.all, this.hidden.size > 0 ? "Show all" : "Hide all");
    this.changed();
  }

  /// Lets a line stand out of the others.
  stress(line, isStrong) {
    this.drawn.classList.toggle("some", isStrong);
    this.#paths.get(line.key)?.line.classList.toggle("strong", isStrong);
  }

  // Drawing: between two lines, the page can do something else.

  *draw(start, end, width, conditions) {
    this.start = start;
    this.end = end;
    this.width = width;
    this.isFlag = isFlag(this.field);
    if (this.#isNew) this.drawLegend();
    this.shown = this.lines.filter(line => !this.hidden.has(line.key));
    const limits = thresholds(conditions, this.field);
    yield* this.scale(limits);
    this.drawAxes(limits);
    this.describe(limits);
    mark(this.picture, "viewBox", `0 0 ${width} ${height}`);
    for (const [name, value] of Object.entries({ x: left, y: top, width: width - left - right, height: base - top, viewBox: `${left} ${top} ${width - left - right} ${base - top}` })) mark(this.drawn, name, String(value));
    const keys = new Set(this.shown.map(line => line.key));
    for (const [key, { line, band }] of this.#paths) {
      if (keys.has(key)) continue;
      line.remove();
      band?.remove();
      this.#paths.delete(key);
    }
    const made = [];
    for (const line of this.shown) {
      made.push([line, path(line.between(start, end), this, this.shown.length <= mostBands)]);
      yield;
    }
    // At once: the browser draws the picture again with each change.
    this.element.classList.toggle("many", this.shown.length > mostLooks);
    for (const [line, { course, area }] of made) this.drawLine(line, course, area);
  }

  *scale(limits) {
    let [low, high, sum, weight] = [Infinity, -Infinity, 0, 0];
    for (const line of this.shown) {
      const summary = withEdges(line.summary(this.start, this.end, this.isFlag), line.between(this.start, this.end), this);
      line.now = summary;
      if (summary) {
        low = Math.min(low, summary.low);
        high = Math.max(high, summary.high);
        sum += summary.mean * summary.weight;
        weight += summary.weight;
      }
      yield;
    }
    this.summary = low > high ? undefined : { low, high, mean: sum / weight };
    if (this.isFlag) {
      this.ticks = [{ value: 0, text: "no" }, { value: 1, text: "yes" }];
      [this.low, this.high] = [-0.15, 1.15];
      return;
    }
    if (low > high) [low, high] = [0, 1];
    // A limit that is near is in the picture.
    const room = Math.max(high - low, Math.abs(high) / 10, 1);
    for (const { value } of limits) {
      if (value >= low - room && value <= high + room) [low, high] = [Math.min(low, value), Math.max(high, value)];
    }
    this.ticks = numberTicks(low, high, 4);
    this.low = Math.min(low, this.ticks[0].value);
    this.high = Math.max(high, this.ticks.at(-1).value);
  }

  x(time) { return left + (time - this.start) / (this.end - this.start) * (this.width - left - right); }
  y(value) { return top + (this.high - value) / (this.high - this.low) * (base - top); }
  /// The time and the value at a place in the picture.
  time(x) { return this.start + Math.min(1, Math.max(0, (x - left) / (this.width - left - right))) * (this.end - this.start); }
  value(y) { return this.high - (y - top) / (base - top) * (this.high - this.low); }

  drawAxes(limits) {
    const parts = [];
    for (const { value, text } of this.ticks) {
      const y = this.y(value);
      parts.push(drawing("path", { class: "grid", d: `M${left} ${y.toFixed(1)}H${this.width - right}` }));
      // A long number is narrower instead of cut off.
      const narrow = text.length > 7 ? { textLength: left - 10, lengthAdjust: "spacingAndGlyphs" } : {};
      parts.push(drawing("text", { class: "tick", x: left - 6, y: (y + 4).toFixed(1), "text-anchor": "end", ...narrow }, text));
    }
    for (const { value, text } of timeTicks(this.start, this.end, Math.max(2, Math.floor(this.width / 110)))) {
      const x = this.x(value).toFixed(1);
      parts.push(drawing("path", { class: "grid", d: `M${x} ${top}V${base}` }));
      // At an edge, the text begins or ends there.
      const [place, anchor] = x < left + 16 ? [left, "start"] : x > this.width - 26 ? [this.width - right, "end"] : [x, "middle"];
      parts.push(drawing("text", { class: "tick", x: place, y: height - 6, "text-anchor": anchor }, text));
    }
    this.axes.replaceChildren(...parts);
    const over = [];
    for (const { value, words } of limits) {
      const y = this.y(value);
      if (y < top - 0.5 || y > base + 0.5) continue;
      over.push(drawing("path", { class: "limit", d: `M${left} ${y.toFixed(1)}H${this.width - right}` }));
      over.push(drawing("text", { class: "limit-words", x: left + 4, y: (y < top + 16 ? y + 12 : y - 4).toFixed(1) }, words));
    }
    this.limits.replaceChildren(...over);
  }

  drawLine(line, course, area) {
    let paths = this.#paths.get(line.key);
    if (!paths) {
      paths = { line: drawing("path", { class: "line " + line.look }) };
      this.drawn.append(paths.line);
      this.#paths.set(line.key, paths);
    }
    mark(paths.line, "d", course);
    if (area && !paths.band) {
      paths.band = drawing("path", { class: "band " + line.look });
      this.drawn.prepend(paths.band);
    }
    if (paths.band) mark(paths.band, "d", area);
  }

  /// What is shown in words: the last value, the lowest, the mean and the highest, the limits.
  describe(limits) {
    const { summary, field } = this;
    const words = value => measured(value, field);
    const range = ({ low, high, mean }) => this.isFlag ? `yes for ${Math.round(100 * mean)}\u00a0% of the time` : `${words(low)} to ${words(high)}, mean ${words(mean)}`;
    const facts = !summary ? ["nothing in this time"] : this.isFlag ? [range(summary)]
      : [`min ${words(summary.low)}`, `mean ${words(summary.mean)}`, `max ${words(summary.high)}`];
    if (limits.length > 0) facts.push(`alarm ${limits.map(limit => limit.words).join(", ")}`);
    set(this.facts, facts.join(" · "));
    mark(this.picture, "aria-label", `${this.name}: ${summary ? range(summary) : facts[0]}. Arrow keys read values, plus and minus zoom.`);
    for (const line of this.shown) {
      if (line.entry) mark(line.entry, "title", line.now ? `${line.label}: ${range(line.now)}` : line.label);
    }
  }

  // The cursor: { time, y, isKey, panel }; a drag begins at a time.

  drawCursor(cursor, drag) {
    if (this.start === undefined) return;
    const isIn = cursor && cursor.time >= this.start && cursor.time <= this.end;
    const parts = [];
    if (drag !== undefined && isIn) {
      const [one, other] = [this.x(drag), this.x(cursor.time)].sort((a, b) => a - b);
      parts.push(drawing("rect", { class: "chosen-range", x: one, y: top, width: other - one, height: base - top }));
    }
    if (isIn) parts.push(drawing("path", { class: "cursor", d: `M${this.x(cursor.time).toFixed(1)} ${top}V${base}` }));
    if (parts.length > 0 || this.over.firstChild) this.over.replaceChildren(...parts);
    mark(this.now, "aria-live", cursor?.isKey && cursor.panel === this ? "polite" : "off");
    set(this.now, isIn ? this.told(cursor) : this.told());
    this.drawList(isIn && cursor.panel === this && this.lines.length > 1 ? cursor : undefined);
  }

  told(cursor) {
    if (this.lines.length === 1) {
      const point = cursor ? this.lines[0].at(cursor.time) : this.lines[0].points.at(-1);
      const value = point ? measured(point[3], this.field) : "nothing";
      return cursor ? `${moment(cursor.time, now())}: ${value}` : value;
    }
    return cursor ? moment(cursor.time, now()) : `${this.shown.length === this.lines.length ? "" : `${this.shown.length} of `}${this.lines.length} lines`;
  }

  /// The values at the cursor, the highest first: those that are near it, if there are many.
  drawList(cursor) {
    this.list.hidden = !cursor;
    if (!cursor) return;
    mark(this.list, "aria-live", cursor.isKey ? "polite" : "off");
    let found = this.shown.map(line => ({ line, value: line.at(cursor.time)?.[3] })).filter(one => one.value !== undefined);
    const rest = found.length - mostListed;
    if (rest > 0 && cursor.y !== undefined) {
      const middle = this.value(cursor.y);
      found.sort((one, other) => Math.abs(one.value - middle) - Math.abs(other.value - middle));
      found = found.slice(0, mostListed);
    }
    found.sort((one, other) => other.value - one.value);
    const rows = found.slice(0, mostListed).map(({ line, value }) =>
      element("li", { name: line.look }, named(line.label), element("b", { text: measured(value, this.field) })));
    if (rest > 0) rows.push(element("li", { name: "rest", text: `and ${rest} more` }));
    this.list.replaceChildren(...rows);
    const part = this.x(cursor.time) / this.width * 100;
    this.list.style.left = part < 50 ? `calc(${part}% + 10px)` : "auto";
    this.list.style.right = part < 50 ? "auto" : `calc(${100 - part}% + 10px)`;
  }
}

/// The summary of a time with the values that the line has at its edges, between two points.
function withEdges(summary, points, { start, end, isFlag }) {
  const edges = [];
  // At most one point is before the time, and one behind it.
  for (const place of new Set([1, points.length - 1])) {
    const [one, other] = [points[place - 1], points[place]];
    if (!one || !other || other[4]) continue;
    for (const time of [start, end]) {
      if (one[0] < time && time < other[0]) edges.push(isFlag ? one[3] : one[3] + (other[3] - one[3]) * (time - one[0]) / (other[0] - one[0]));
    }
  }
  if (edges.length === 0) return summary;
  const [low, high] = [Math.min(...edges), Math.max(...edges)];
  if (!summary) return { low, high, mean: edges.reduce((sum, one) => sum + one) / edges.length, weight: end - start };
  return { ...summary, low: Math.min(low, summary.low), high: Math.max(high, summary.high) };
}

/// The path of a line, and the area from its lowest to its highest values; that of a flag has steps.
function path(points, panel, hasBand) {
  let course = "", area = "";
  let ups = [], downs = [], isBand = false;
  const close = () => {
    if (isBand && ups.length > 1) area += "M" + ups.join("L") + "L" + downs.reverse().join("L") + "Z";
    [ups, downs, isBand] = [[], [], false];
  };
  points.forEach((point, index) => {
    const [time, low, high, last, isAfterGap] = point;
    const isFirst = index === 0 || isAfterGap;
    const x = Math.round(panel.x(time) * 10) / 10;
    const y = Math.round(panel.y(last) * 10) / 10;
    course += isFirst ? `M${x} ${y}` : panel.isFlag ? `H${x}V${y}` : `L${x} ${y}`;
    // A value alone is a dot.
    if (isFirst && (points[index + 1]?.[4] ?? true)) course += "h.01";
    if (!hasBand) return;
    if (isFirst) close();
    ups.push(`${x} ${panel.y(high).toFixed(1)}`);
    downs.push(`${x} ${panel.y(low).toFixed(1)}`);
    isBand = isBand || low !== high;
  });
  close();
  return { course, area };
}
