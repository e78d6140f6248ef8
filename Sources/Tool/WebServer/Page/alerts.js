// SPDX-License-Identifier: MIT
// The alarms that hold, and the devices that are missed.
import { now } from "./clock.js";
import { conditionWords } from "./condition.js";
import { element, named, set } from "./elements.js";
import { measured, moment, seconds } from "./format.js";
import { byName } from "./model.js";

export class Alerts {
  items = new Map();

  constructor(section, list, count) { Object.assign(this, { section, list, count }); }

  /// Changes only what is new or over: a screen reader reads no more than that.
  draw(model) {
    const wanted = new Map();
    for (const device of model.devices.values()) {
      for (const [condition, alarm] of device.alarms) {
        const values = Object.entries(alarm.decoded ?? {}).map(([field, value]) => measured(value, field)).join(", ");
        wanted.set(`${device.key} ${condition}`, { device, kind: "alarm", text: `: ${conditionWords(condition)}${values ? ` (${values})` : ""}, since ${time(alarm.time)}` });
      }
      if (device.absentSince) wanted.set(device.key, { device, kind: "absent", text: `: not heard since ${time(device.absentSince)}` });
    }
    for (const [key, item] of this.items) {
      if (wanted.has(key)) continue;
      item.element.remove();
      this.items.delete(key);
    }
    for (const [key, one] of [...wanted].sort(([, one], [, other]) => byName(one.device, other.device))) {
      const item = this.items.get(key) ?? this.make(key, one.kind);
      set(item.name, model.shortLabel(one.device));
      set(item.words, one.text);
    }
    this.section.hidden = wanted.size === 0;
    set(this.count, String(wanted.size));
    // Only what scrolls needs the focus.
    if (this.list.scrollHeight > this.list.clientHeight + 1) this.list.tabIndex = 0; else this.list.removeAttribute("tabindex");
  }

  make(key, kind) {
    const item = { name: named(""), words: element("span") };
    item.element = element("li", { name: kind }, item.name, item.words);
    this.list.append(item.element);
    this.items.set(key, item);
    return item;
  }
}

function time(text) { return moment(seconds(text), now()); }
