// SPDX-License-Identifier: MIT
// The table of devices: sorted, filtered, drawn a few times a second.
import { conditionWords } from "./condition.js";
import { rank } from "./course.js";
import { drawing, element, mark, named, set } from "./elements.js";
import { ago, fieldName, isFlag, measured } from "./format.js";
import { byName, hiddenFields } from "./model.js";
import { csv, visible } from "./text.js";

/// The time for which rows stay where they are after a touch.
const hold = 3000;

export class DeviceTable {
  rows = new Map();
  sort = { key: "name", descending: false };
  filter = "";
  shown = [];
  #touched = -hold;
  #order = "";

  constructor(body, heads, choose) {
    Object.assign(this, { body, heads, choose });
    for (const button of heads.querySelectorAll("button")) {
      button.addEventListener("click", () => this.sortBy(button.dataset.sort));
    }
    for (const event of ["pointermove", "pointerdown", "keydown"]) {
      body.addEventListener(event, () => { this.#touched = performance.now(); }, { passive: true });
    }
  }

  sortBy(key) {
    this.sort = { key, descending: this.sort.key === key ? !this.sort.descending : key !== "name" };
    for (const button of this.heads.querySelectorAll("button")) {
      const head = button.closest("th");
      if (button.dataset.sort === key) head.setAttribute("aria-sort", this.sort.descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    this.isStale = true;
  }

  filterBy(text) {
    this.filter = text.trim().toLowerCase();
    this.isStale = true;
  }

  matches(device) {
    if (!this.filter) return true;
    const text = [device.name, device.address, device.host, device.company, device.adapter, ...device.values.keys(), fields(device)
      .map(([, name, value]) => name + " " + value).join(" ")].join(" ").toLowerCase().replaceAll("\u00a0", " ");
    return this.filter.split(/\s+/).every(word => text.includes(word));
  }

  compare(one, other) {
    const { key, descending } = this.sort;
    const sign = descending ? -1 : 1;
    if (key === "rssi") return sign * ((one.rssi ?? -200) - (other.rssi ?? -200)) || byName(one, other);
    if (key === "last") return sign * ((one.last ?? 0) - (other.last ?? 0)) || byName(one, other);
    return sign * byName(one, other);
  }

  /// Chooses and orders the rows again, but not while a finger or a mouse is among them.
  arrange(model) {
    const isHeld = performance.now() - this.#touched < hold;
    const order = `${model.revision} ${this.filter} ${this.sort.key}`;
    const isSame = order === this.#order && this.sort.key === "name" && !this.filter;
    if (!this.isStale && (isSame || isHeld && this.shown.length === model.devices.size)) return;
    this.#order = order;
    this.shown = [...model.devices.values()].filter(device => this.matches(device)).sort((one, other) => this.compare(one, other));
    const keys = new Set(this.shown.map(device => device.key));
    for (const [key, row] of this.rows) {
      if (keys.has(key)) continue;
      row.element.remove();
      this.rows.delete(key);
    }
    for (const device of this.shown) {
      if (this.rows.has(device.key)) continue;
      const row = this.make(device);
      this.rows.set(device.key, row);
      device.isChanged = true;
      if (isHeld && !this.isStale) this.body.append(row.element);
    }
    if (!isHeld || this.isStale) this.order();
    this.isStale = false;
  }

  order() {
    const focused = this.body.contains(document.activeElement) ? document.activeElement : undefined;
    let next = this.body.firstElementChild;
    for (const device of this.shown) {
      const row = this.rows.get(device.key).element;
      if (row === next) next = next.nextElementSibling;
      else this.body.insertBefore(row, next);
    }
    if (focused !== document.activeElement) focused?.focus({ preventScroll: true });
  }

  /// Draws the rows whose devices have changed; with `now`, their times too.
  draw(chosen, now) {
    for (const device of this.shown) {
      const row = this.rows.get(device.key);
      if (device.isChanged || now !== undefined) set(row.time, device.last ? ago(device.last, now ?? device.last) : "");
      if (row.isChosen !== (device.key === chosen)) {
        row.isChosen = device.key === chosen;
        row.element.classList.toggle("chosen", row.isChosen);
        if (row.isChosen) row.name.setAttribute("aria-current", "true"); else row.name.removeAttribute("aria-current");
      }
      if (!device.isChanged) continue;
      device.isChanged = false;
      this.update(row, device);
    }
  }

  update(row, device) {
    row.element.classList.toggle("away", Boolean(device.lost || device.absentSince));
    const name = visible(device.name || device.address);
    set(row.label, name);
    mark(row.name, "title", name);
    set(row.address, [device.name ? device.address : undefined, device.host, device.company && !device.name ? device.company : undefined]
      .filter(Boolean).map(visible).join(" · "));
    set(row.rssi, device.rssi === undefined ? "" : measured(device.rssi, "rssi_dbm"));
    mark(row.line, "d", device.course.path(isFlag(device.main?.field)));
    this.values(row, device);
    this.states(row, device);
  }

  make(device) {
    const label = named("");
    const name = element("button", { type: "button" }, label);
    name.addEventListener("click", () => this.choose(device.key));
    const address = element("span", { name: "address" });
    const rssi = element("td", { name: "signal", role: "cell" });
    const line = drawing("path", { class: "spark" });
    const picture = drawing("svg", { viewBox: "0 0 84 22", "aria-hidden": "true" });
    picture.append(line);
    const values = element("dl");
    const time = element("td", { name: "time", role: "cell" });
    const state = element("td", { name: "state", role: "cell" });
    const row = element("tr", { role: "row" }, element("td", { name: "device", role: "cell" }, name, address), rssi,
      element("td", { name: "trend", role: "cell" }, picture), element("td", { name: "values", role: "cell" }, values), time, state);
    return { element: row, name, label, address, rssi, line, values, time, state, fields: new Map() };
  }

  /// The button of a device.
  button(key) { return this.rows.get(key)?.name; }

  values(row, device) {
    const wanted = fields(device);
    if (row.fields.size > 0) {
      const keys = new Set(wanted.map(([key]) => key));
      for (const [key, field] of row.fields) {
        if (keys.has(key)) continue;
        field.element.remove();
        row.fields.delete(key);
      }
    }
    for (const [key, name, value, raw] of wanted) {
      let field = row.fields.get(key);
      if (!field) {
        const data = element("dd");
        field = { data, element: element("div", {}, element("dt", { text: name, title: name }), data) };
        row.fields.set(key, field);
        row.values.append(field.element);
      }
      if (field.data.textContent === value) continue;
      field.data.textContent = value;
      const isText = typeof raw === "string" && value.length > 12;
      field.element.classList.toggle("text", isText);
      if (isText) field.data.title = value; else field.data.removeAttribute("title");
    }
  }

  states(row, device) {
    const states = [];
    for (const condition of device.alarms.keys()) states.push(["bad", conditionWords(condition)]);
    if (device.absentSince) states.push(["warn", "absent"]);
    if (device.lost) states.push(["warn", "gone"]);
    if (device.connected === true) states.push(["good", "connected"]);
    if (device.connected === false && device.reason) states.push(["bad", "disconnected"]);
    const text = JSON.stringify(states);
    if (row.stateText === text) return;
    row.stateText = text;
    row.state.replaceChildren(...states.map(([kind, words]) => element("span", { name: "pill " + kind, text: words })));
  }

  csv() {
    const names = [...new Set(this.shown.flatMap(device => fields(device, true).map(([key]) => key)))];
    const rows = this.shown.map(device => {
      const values = new Map(fields(device, true).map(([key, , , raw]) => [key, raw]));
      return [device.address, device.name, device.host, device.rssi, device.last ? new Date(device.last * 1000).toISOString() : "",
        device.packets, ...names.map(name => values.get(name))];
    });
    return csv([["address", "name", "host", "rssi_dbm", "last", "packets", ...names], ...rows]);
  }
}

/// The last values, the main one first: the key, the name, the text, the value itself, and the field.
function fields(device, all = false) {
  const list = [];
  for (const [source, reading] of device.values) {
    let count = 0;
    for (const [field, value] of Object.entries(reading.decoded ?? {})) {
      if (hiddenFields.has(field) && !all) continue;
      list.push([`${source} ${field}`, fieldName(field).name, measured(value, field), typeof value === "object" ? JSON.stringify(value) : value, field]);
      count += 1;
    }
    if (count === 0 && reading.value) list.push([`${source} value`, visible(source), reading.value, reading.value]);
  }
  return list.sort((one, other) => rank(one[4] ?? "") - rank(other[4] ?? ""));
}
