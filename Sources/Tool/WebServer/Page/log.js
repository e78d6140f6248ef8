// SPDX-License-Identifier: MIT
// The last records as a list.
import { now } from "./clock.js";
import { conditionWords } from "./condition.js";
import { element, named } from "./elements.js";
import { fieldName, measured, moment, seconds } from "./format.js";
import { Model, shortTitle } from "./model.js";
import { brief, csv, visible } from "./text.js";

const most = 200;
const kept = 1000;

export class EventLog {
  records = [];
  waiting = [];
  showsValues = false;
  isPaused = false;

  constructor(list) { this.list = list; }

  add(record) {
    // Values do not push out what happened.
    const { isQuiet } = Model;
    this.records.push(record);
    if (this.records.length > kept) {
      const quiet = this.records.findIndex(isQuiet);
      this.records.splice(Math.max(0, quiet), 1);
    }
    if (!isQuiet(record) || this.showsValues) this.waiting.push(record);
    if (this.waiting.length > most) this.waiting.splice(0, this.waiting.length - most);
  }

  get chosen() { return this.records.filter(record => this.showsValues || !Model.isQuiet(record)); }

  /// Shows other records.
  change(showsValues) {
    this.showsValues = showsValues;
    this.waiting = this.chosen.slice(-most);
    this.list.replaceChildren();
    this.draw();
  }

  draw() {
    if (this.waiting.length === 0 || this.isPaused && this.list.firstChild) return;
    const isAtTop = this.list.scrollTop < 5;
    this.list.prepend(...this.waiting.reverse().map(record => line(record)));
    this.waiting = [];
    while (this.list.children.length > most) this.list.lastElementChild.remove();
    if (isAtTop) this.list.scrollTop = 0;
  }

  csv() {
    return csv([["time", "event", "address", "name", "detail"],
      ...this.chosen.map(record => [record.time, record.event, record.address, record.name, detail(record)])]);
  }
}

function line(record) {
  return element("li", { name: /^[a-z_-]+$/.test(record.event) ? record.event : "" },
    element("span", { name: "when", text: moment(seconds(record.time), now()) }),
    element("span", { name: "what", text: visible(record.event.replaceAll("_", " ")) }),
    element("span", { name: "who" }, named(record.address ? shortTitle(record) : visible(record.adapter ?? ""))),
    element("span", { name: "detail" }, named(brief(detail(record), 400))));
}

function detail(record) {
  const parts = [];
  if (record.when) parts.push(conditionWords(record.when));
  if (record.state) parts.push(visible(record.state));
  if (record.reason) parts.push(visible(record.reason));
  if (record.error) parts.push(visible(record.error));
  if (record.gap_seconds !== undefined) parts.push(`after ${record.gap_seconds} s`);
  if (record.silence_seconds !== undefined) parts.push(`silent for ${Math.round(record.silence_seconds)} s`);
  if (record.event === "dropped" || record.event === "missed") parts.push(`${record.count} records`);
  if (record.properties) parts.push(record.properties.join(", "));
  for (const [field, value] of Object.entries(record.decoded ?? {})) parts.push(`${fieldName(field).name} ${measured(value, field)}`);
  if (!record.decoded && record.value) parts.push(record.value);
  return parts.join(", ");
}
