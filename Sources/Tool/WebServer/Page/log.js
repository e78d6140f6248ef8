// SPDX-License-Identifier: MIT
// The last records as a list.
import { clockTime, csv, element, fieldName, measured, seconds } from "./format.js";
import { Model, title } from "./model.js";

const most = 200;
const kept = 1000;

export class EventLog {
  records = [];
  waiting = [];
  showsValues = false;
  isPaused = false;

  constructor(list) { this.list = list; }

  add(record, device) {
    this.records.push({ record, device });
    if (this.records.length > kept) this.records.splice(0, this.records.length - kept);
    if (!Model.isQuiet(record) || this.showsValues) this.waiting.push({ record, device });
    if (this.waiting.length > most) this.waiting.splice(0, this.waiting.length - most);
  }

  /// Shows other records.
  change(showsValues) {
    this.showsValues = showsValues;
    this.waiting = this.records.filter(({ record }) => showsValues || !Model.isQuiet(record)).slice(-most);
    this.list.replaceChildren();
    this.draw();
  }

  draw() {
    if (this.isPaused || this.waiting.length === 0) return;
    const isAtTop = this.list.scrollTop < 5;
    this.list.prepend(...this.waiting.reverse().map(one => this.line(one)));
    this.waiting = [];
    while (this.list.children.length > most) this.list.lastElementChild.remove();
    if (isAtTop) this.list.scrollTop = 0;
  }

  line({ record, device }) {
    return element("li", { name: /^[a-z_-]+$/.test(record.event) ? record.event : "" },
      element("span", { name: "when", text: clockTime(seconds(record.time)) }), element("span", { name: "what", text: record.event.replaceAll("_", " ") }),
      element("span", { text: device ? title(device) : record.adapter ?? "" }), element("span", { name: "detail", text: detail(record) }));
  }

  csv() {
    return csv([["time", "event", "address", "name", "detail"], ...this.records.filter(({ record }) => this.showsValues || !Model.isQuiet(record))
      .map(({ record, device }) => [record.time, record.event, record.address, device?.name, detail(record)])]);
  }
}

function detail(record) {
  const parts = [];
  if (record.when) parts.push(record.when);
  if (record.reason) parts.push(record.reason);
  if (record.error) parts.push(record.error);
  if (record.gap_seconds !== undefined) parts.push(`after ${record.gap_seconds} s`);
  if (record.silence_seconds !== undefined) parts.push(`silent for ${Math.round(record.silence_seconds)} s`);
  if (record.event === "dropped" || record.event === "missed") parts.push(`${record.count} records`);
  if (record.properties) parts.push(record.properties.join(", "));
  for (const [field, value] of Object.entries(record.decoded ?? {})) {
    const { name, unit } = fieldName(field);
    parts.push(`${name} ${measured(value, unit)}`);
  }
  if (!record.decoded && record.value) parts.push(record.value);
  return parts.join(", ");
}
