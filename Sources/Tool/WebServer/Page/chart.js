// SPDX-License-Identifier: MIT
// Charts of numbers over time: a panel for each field, with a common time axis.
import { clockTime, csv, dayTime, drawing, element, fieldName, measured, number } from "./format.js";

const height = 170, left = 52, right = 10, top = 8, bottom = 22;
/// More points of a line are joined in pairs.
const most = 4000;

export class Charts {
  /// { key, field, source, label, points: [[time, low, high, last] or null] }
  lines = [];
  /// The seconds that are shown, until the newest moment; 0 is everything.
  span = 3600;
  /// The end that is shown; undefined is now.
  end = undefined;
  cursor = undefined;

  constructor(container, changed) {
    this.container = container;
    this.changed = changed;
    this.panels = new Map();
    new ResizeObserver(() => this.draw()).observe(container);
  }

  show(lines) {
    this.lines = lines;
    this.panels.clear();
    this.container.replaceChildren();
    this.draw();
  }

  /// Adds a number to a line; returns false if the line is not shown.
  add(key, time, value) {
    const line = this.lines.find(one => one.key === key);
    if (!line) return false;
    line.points.push([time, value, value, value]);
    if (line.points.length > most) line.points = joined(line.points);
    return true;
  }

  breakLines(prefix) {
    for (const line of this.lines) if (line.key.startsWith(prefix) && line.points.at(-1)) line.points.push(null);
  }

  range() {
    const now = Date.now() / 1000;
    const end = this.end ?? now;
    const first = Math.min(...this.lines.map(line => line.points.find(Boolean)?.[0] ?? now));
    if (this.end !== undefined) return [end - this.span, end];
    // There is nothing to see before the first value.
    const begin = Math.min(first, end - 10);
    return [this.span > 0 ? Math.max(begin, end - this.span) : begin, end];
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
    const now = Date.now() / 1000;
    this.span = end - start;
    this.end = end >= now - this.span / 50 ? undefined : end;
    this.changed();
    this.draw();
  }

  draw() {
    const groups = Map.groupBy ? Map.groupBy(this.lines, line => line.field) : grouped(this.lines);
    const [start, end] = this.range();
    const width = Math.max(240, this.container.clientWidth);
    for (const [field, lines] of groups) {
      let panel = this.panels.get(field);
      if (!panel) {
        panel = this.make(field, lines);
        this.panels.set(field, panel);
        this.container.append(panel.element);
      }
      this.paint(panel, lines, start, end, width);
    }
  }

  make(field, lines) {
    const { name, unit } = fieldName(field);
    const now = element("span", { name: "now" });
    const picture = drawing("svg", { role: "img", tabindex: "0" });
    const panel = { field, unit, name, now, picture, element: element("figure", { name: "panel" }, element("h3", {}, element("span", { text: unit ? `${name}, ${unit}` : name }), now)) };
    panel.element.style.margin = "0";
    if (lines.length > 1) {
      panel.element.append(element("ul", { name: "legend" }, ...lines.map((line, index) => element("li", { name: "k" + index % 8, text: line.label }))));
    }
    panel.element.append(picture);
    this.listen(panel);
    return panel;
  }

  listen(panel) {
    const at = event => {
      const box = panel.picture.getBoundingClientRect();
      const [start, end] = this.range();
      const part = (event.clientX - box.left - left) / (box.width - left - right);
      return start + Math.min(1, Math.max(0, part)) * (end - start);
    };
    panel.picture.addEventListener("pointermove", event => { this.cursor = at(event); this.draw(); });
    panel.picture.addEventListener("pointerleave", () => { this.cursor = undefined; this.drag = undefined; this.draw(); });
    panel.picture.addEventListener("pointerdown", event => { if (event.pointerType === "mouse") this.drag = at(event); });
    panel.picture.addEventListener("pointerup", event => {
      const [start, end] = this.range();
      const [one, other] = [this.drag ?? 0, at(event)].sort((a, b) => a - b);
      const isWide = this.drag !== undefined && other - one > (end - start) / 50;
      this.drag = undefined;
      if (isWide) this.select(one, other);
    });
    panel.picture.addEventListener("dblclick", () => this.zoom(4));
    panel.picture.addEventListener("wheel", event => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, at(event));
    }, { passive: false });
    panel.picture.addEventListener("keydown", event => {
      const [start, end] = this.range();
      const step = (end - start) / 50;
      const actions = {
        ArrowLeft: () => { this.cursor = Math.max(start, (this.cursor ?? end) - step); },
        ArrowRight: () => { this.cursor = Math.min(end, (this.cursor ?? start) + step); },
        "+": () => this.zoom(0.5, this.cursor), "-": () => this.zoom(2, this.cursor), Escape: () => { this.cursor = undefined; },
        PageUp: () => this.move(-0.5), PageDown: () => this.move(0.5),
      };
      if (!actions[event.key]) return;
      event.preventDefault();
      actions[event.key]();
      this.draw();
    });
  }

  paint(panel, lines, start, end, width) {
    const x = time => left + (time - start) / (end - start) * (width - left - right);
    let [low, high] = [Infinity, -Infinity];
    const visible = lines.map(line => {
      const shown = line.points.filter((point, index) => point === null || point[0] >= start && point[0] <= end
        || line.points[index + 1]?.[0] >= start && point[0] < start || line.points[index - 1]?.[0] <= end && point[0] > end);
      // A line that comes from the left begins at the edge.
      const [one, other] = shown;
      if (one && other && one[0] < start) {
        const part = (start - one[0]) / (other[0] - one[0]);
        shown[0] = [start, ...[1, 2, 3].map(index => one[index] + part * (other[index] - one[index]))];
      }
      for (const point of shown) if (point) { low = Math.min(low, point[1]); high = Math.max(high, point[2]); }
      return shown;
    });
    const isEmpty = low > high;
    if (isEmpty) [low, high] = [0, 1];
    const ticks = numberTicks(low, high, 4);
    [low, high] = [Math.min(low, ticks[0]), Math.max(high, ticks.at(-1))];
    if (low === high) [low, high] = [low - 1, high + 1];
    const y = value => top + (high - value) / (high - low) * (height - top - bottom);
    const parts = [];
    for (const tick of ticks) {
      parts.push(drawing("path", { class: "grid", d: `M${left} ${y(tick).toFixed(1)}H${width - right}` }));
      parts.push(drawing("text", { class: "tick", x: left - 6, y: (y(tick) + 4).toFixed(1), "text-anchor": "end" }, number(tick)));
    }
    for (const tick of timeTicks(start, end, Math.max(2, Math.floor(width / 110)))) {
      parts.push(drawing("path", { class: "grid", d: `M${x(tick).toFixed(1)} ${top}V${height - bottom}` }));
      const text = end - start > 86400 * 1.5 ? dayTime(tick) : clockTime(tick).slice(0, end - start > 600 ? 5 : 8);
      parts.push(drawing("text", { class: "tick", x: x(tick).toFixed(1), y: height - 6, "text-anchor": "middle" }, text));
    }
    visible.forEach((points, index) => {
      const { line, band } = path(points, x, y);
      if (band) parts.push(drawing("path", { class: `band k${index % 8}`, d: band }));
      if (line) parts.push(drawing("path", { class: `line k${index % 8}`, d: line }));
    });
    if (this.drag !== undefined && this.cursor !== undefined) {
      const [one, other] = [x(this.drag), x(this.cursor)].sort((a, b) => a - b);
      parts.push(drawing("rect", { class: "chosen-range", x: one, y: top, width: other - one, height: height - top - bottom }));
    }
    this.describe(panel, lines, visible, isEmpty);
    if (this.cursor !== undefined && this.cursor >= start && this.cursor <= end) {
      parts.push(drawing("path", { class: "cursor", d: `M${x(this.cursor).toFixed(1)} ${top}V${height - bottom}` }));
    }
    panel.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    panel.picture.replaceChildren(...parts);
  }

  /// The value at the cursor, or the last one; what a screen reader says.
  describe(panel, lines, visible, isEmpty) {
    if (this.cursor !== undefined) {
      const texts = lines.map(line => {
        const point = line.points.findLast(one => one && one[0] <= this.cursor);
        return point ? (lines.length > 1 ? line.label + " " : "") + measured(point[3], panel.unit) : undefined;
      }).filter(Boolean);
      panel.now.textContent = `${clockTime(this.cursor)}: ${texts.slice(0, 6).join(", ") || "nothing"}`;
    } else if (lines.length === 1) {
      const point = lines[0].points.findLast(Boolean);
      panel.now.textContent = point ? measured(point[3], panel.unit) : "";
    } else {
      panel.now.textContent = `${lines.length} devices`;
    }
    const all = visible.flat().filter(Boolean);
    const text = isEmpty ? "nothing in this time"
      : `${measured(Math.min(...all.map(point => point[1])), panel.unit)} to ${measured(Math.max(...all.map(point => point[2])), panel.unit)}`;
    const label = `${panel.name}: ${text}. Arrow keys read values, plus and minus zoom.`;
    if (panel.picture.getAttribute("aria-label") !== label) panel.picture.setAttribute("aria-label", label);
  }

  csv() {
    const [start, end] = this.range();
    const rows = this.lines.flatMap(line => line.points.filter(point => point && point[0] >= start && point[0] <= end)
      .map(point => [new Date(point[0] * 1000).toISOString(), line.address, line.label, line.source, line.field, point[3], point[1], point[2]]));
    return csv([["time", "address", "name", "source", "field", "value", "minimum", "maximum"], ...rows]);
  }

  /// All panels in one picture, with their colours.
  svg() {
    const width = Math.max(240, this.container.clientWidth);
    const panels = [...this.panels.values()];
    const whole = drawing("svg", { xmlns: "http://www.w3.org/2000/svg", width, height: panels.length * (height + 24), "font-family": "sans-serif" });
    whole.append(drawing("rect", { width: "100%", height: "100%", fill: getComputedStyle(document.body).getPropertyValue("--card") }));
    panels.forEach((panel, index) => {
      const group = drawing("g", { transform: `translate(0 ${index * (height + 24) + 20})` });
      group.append(drawing("text", { x: left, y: -4, "font-size": 13, fill: getComputedStyle(document.body).color }, `${panel.element.querySelector("h3 span").textContent} ${panel.now.textContent}`));
      for (const part of panel.picture.children) {
        const copy = part.cloneNode(true);
        const style = getComputedStyle(part);
        for (const name of ["fill", "stroke", "stroke-width", "opacity", "font-size"]) copy.setAttribute(name, style.getPropertyValue(name));
        copy.removeAttribute("class");
        group.append(copy);
      }
      whole.append(group);
    });
    return new XMLSerializer().serializeToString(whole);
  }
}

function grouped(lines) {
  const groups = new Map();
  for (const line of lines) groups.set(line.field, [...(groups.get(line.field) ?? []), line]);
  return groups;
}

function path(points, x, y) {
  let line = "", pen = "M";
  const ups = [], downs = [];
  let isBand = false;
  let band = "";
  const close = () => {
    if (isBand && ups.length > 1) band += "M" + ups.join("L") + "L" + downs.reverse().join("L") + "Z";
    ups.length = downs.length = 0;
    isBand = false;
  };
  points.forEach((point, index) => {
    if (!point) { pen = "M"; close(); return; }
    const at = x(point[0]).toFixed(1);
    line += `${pen}${at} ${y(point[3]).toFixed(1)}`;
    // A value alone is a dot.
    if (pen === "M" && !points[index + 1]) line += "h.01";
    pen = "L";
    ups.push(`${at} ${y(point[2]).toFixed(1)}`);
    downs.push(`${at} ${y(point[1]).toFixed(1)}`);
    isBand = isBand || point[1] !== point[2];
  });
  close();
  return { line, band };
}

function joined(points) {
  const result = [];
  for (let index = 0; index < points.length; index += 2) {
    const [one, other] = [points[index], points[index + 1]];
    if (one && other) result.push([one[0], Math.min(one[1], other[1]), Math.max(one[2], other[2]), other[3]]);
    else result.push(...[one, other].filter(point => point !== undefined));
  }
  return result;
}

function numberTicks(low, high, count) {
  if (low === high) [low, high] = [low - Math.abs(low) / 100 - 0.5, high + Math.abs(high) / 100 + 0.5];
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(part => part * power).find(part => part >= raw);
  const ticks = [];
  for (let tick = Math.floor(low / step); tick <= Math.ceil(high / step - 1e-9); tick += 1) ticks.push(Number((tick * step).toPrecision(12)));
  return ticks;
}

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 2592000];

function timeTicks(start, end, count) {
  const step = steps.find(one => (end - start) / one <= count) ?? 2592000;
  const zone = -new Date(end * 1000).getTimezoneOffset() * 60;
  const ticks = [];
  for (let tick = Math.ceil((start + zone) / step) * step - zone; tick <= end; tick += step) ticks.push(tick);
  return ticks;
}
