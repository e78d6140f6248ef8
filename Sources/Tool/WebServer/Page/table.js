// SPDX-License-Identifier: MIT
// The table of devices: sorted, filtered, drawn a few times a second.
import { ago, csv, drawing, element, fieldName, measured } from "./format.js";
import { title } from "./model.js";

export const hiddenFields = new Set(["rssi_dbm", "packet_id", "counter"]);

export class DeviceTable {
  rows = new Map();
  sort = { key: "name", descending: false };
  filter = "";
  shown = [];

  constructor(body, heads, choose) {
    this.body = body;
    this.heads = heads;
    this.choose = choose;
    for (const button of heads.querySelectorAll("button")) {
      button.addEventListener("click", () => this.sortBy(button.dataset.sort));
    }
  }

  sortBy(key) {
    this.sort = { key, descending: this.sort.key === key ? !this.sort.descending : key !== "name" };
    for (const button of this.heads.querySelectorAll("button")) {
      const head = button.closest("th");
      if (button.dataset.sort === key) head.setAttribute("aria-sort", this.sort.descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
    this.mayMove = true;
  }

  matches(device) {
    if (!this.filter) return true;
    const text = [device.name, device.address, device.host, device.company, device.adapter, ...device.values.keys(), fields(device)
      .map(([, name, value]) => name + " " + value).join(" ")].join(" ").toLowerCase();
    return this.filter.split(/\s+/).every(word => text.includes(word));
  }

  compare(one, other) {
    const { key, descending } = this.sort;
    const sign = descending ? -1 : 1;
    if (key === "rssi") return sign * ((one.rssi ?? -200) - (other.rssi ?? -200)) || byName(one, other);
    if (key === "last") return sign * ((one.last ?? 0) - (other.last ?? 0)) || byName(one, other);
    return sign * byName(one, other);
  }

  draw(devices, chosen, now) {
    const shown = [...devices.values()].filter(device => this.matches(device)).sort((one, other) => this.compare(one, other));
    const keys = new Set(shown.map(device => device.key));
    for (const [key, row] of this.rows) {
      if (keys.has(key)) continue;
      row.element.remove();
      this.rows.delete(key);
    }
    for (const device of shown) this.update(device, chosen, now);
    // A row does not move away from a finger, a mouse or the focus.
    const isHeld = this.body.matches(":hover") || this.body.contains(document.activeElement);
    if (!isHeld || this.mayMove) this.order(shown);
    else for (const device of shown) if (!this.rows.get(device.key).element.parentNode) this.body.append(this.rows.get(device.key).element);
    this.mayMove = false;
    this.shown = shown;
  }

  order(shown) {
    const focused = this.body.contains(document.activeElement) ? document.activeElement : undefined;
    let next = this.body.firstElementChild;
    for (const device of shown) {
      const row = this.rows.get(device.key).element;
      if (row === next) next = next.nextElementSibling;
      else this.body.insertBefore(row, next);
    }
    focused?.focus({ preventScroll: true });
  }

  update(device, chosen, now) {
    let row = this.rows.get(device.key);
    if (!row) {
      row = this.make(device);
      this.rows.set(device.key, row);
      device.isChanged = true;
    }
    row.element.classList.toggle("chosen", device.key === chosen);
    set(row.time, device.last ? ago(device.last, now) : "");
    if (!device.isChanged) return;
    device.isChanged = false;
    row.element.classList.toggle("away", Boolean(device.lost || device.absentSince));
    set(row.name, device.name || device.address);
    set(row.address, [device.name ? device.address : undefined, device.host, device.company && !device.name ? device.company : undefined]
      .filter(Boolean).join(" · "));
    set(row.rssi, device.rssi === undefined ? "" : `${device.rssi} dBm`);
    this.spark(row, device);
    this.values(row, device);
    this.states(row, device);
  }

  make(device) {
    const name = element("button", { type: "button" });
    name.addEventListener("click", () => this.choose(device.key));
    const address = element("span", { name: "address" });
    const rssi = element("span");
    const line = drawing("path", { class: "spark" });
    const picture = drawing("svg", { viewBox: "0 0 84 22", "aria-hidden": "true" });
    picture.append(line);
    const values = element("dl");
    const time = element("td", { name: "time" });
    const state = element("td", { name: "state" });
    const row = element("tr", {}, element("td", { name: "device" }, name, address), element("td", { name: "signal" }, rssi, picture),
      element("td", { name: "values" }, values), time, state);
    return { element: row, name, address, rssi, line, values, time, state, fields: new Map() };
  }

  spark(row, device) {
    const points = device.strengths;
    if (points.length < 2) return;
    const low = Math.min(...points.map(point => point[1])) - 1;
    const high = Math.max(...points.map(point => point[1])) + 1;
    const step = 84 / (points.length - 1);
    row.line.setAttribute("d", points.map(([, rssi], index) =>
      `${index ? "L" : "M"}${(index * step).toFixed(1)} ${(21 - 20 * (rssi - low) / (high - low)).toFixed(1)}`).join(""));
  }

  values(row, device) {
    const wanted = fields(device);
    for (const [key, field] of row.fields) {
      if (wanted.some(one => one[0] === key)) continue;
      field.element.remove();
      row.fields.delete(key);
    }
    for (const [key, name, value] of wanted) {
      let field = row.fields.get(key);
      if (!field) {
        const data = element("dd");
        field = { data, element: element("div", {}, element("dt", { text: name }), data) };
        row.fields.set(key, field);
        row.values.append(field.element);
      }
      set(field.data, value);
    }
  }

  states(row, device) {
    const states = [];
    for (const condition of device.alarms.keys()) states.push(["bad", condition]);
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

/// The last values: the key, the name, the text, and the value itself.
export function fields(device, all = false) {
  const list = [];
  for (const [source, reading] of device.values) {
    let count = 0;
    for (const [field, value] of Object.entries(reading.decoded ?? {})) {
      if (hiddenFields.has(field) && !all) continue;
      const { name, unit } = fieldName(field);
      list.push([`${source} ${field}`, name, measured(value, unit), typeof value === "object" ? JSON.stringify(value) : value]);
      count += 1;
    }
    if (count === 0 && reading.value) list.push([`${source} value`, source, reading.value, reading.value]);
  }
  return list;
}

function byName(one, other) {
  const named = Number(!one.name) - Number(!other.name);
  return named || title(one).localeCompare(title(other)) || one.key.localeCompare(other.key);
}

function set(node, text) { if (node.textContent !== text) node.textContent = text; }
