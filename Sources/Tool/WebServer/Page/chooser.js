// SPDX-License-Identifier: MIT
// The choice of what the charts show: a device, or a field of all devices.
import { element } from "./elements.js";
import { fieldName } from "./format.js";
import { byName, hiddenFields } from "./model.js";
import { isolated, natural } from "./text.js";

export class Chooser {
  subject = "";
  #revision = undefined;
  #isUsed = false;

  /// `chosen` is called after another choice.
  constructor(select, chosen) {
    this.select = select;
    this.chosen = chosen;
    select.addEventListener("change", () => this.choose(select.value));
  }

  choose(subject) {
    this.subject = subject;
    this.#isUsed = true;
    if (this.select.value !== subject) this.#revision = undefined;
    this.select.value = subject;
    this.chosen(subject);
  }

  get field() { return this.subject.startsWith("field:") ? this.subject.slice(6) : undefined; }

  /// Lets the first device be chosen again if the subject is not known any more.
  forget(model) {
    const isKnown = this.subject === "" || (this.field === undefined ? model.devices.has(this.subject) : model.fields.has(this.field));
    if (!isKnown) [this.subject, this.#isUsed, this.#revision] = ["", false, undefined];
  }

  /// Offers what is known; at first, the first device is chosen.
  draw(model, first) {
    if (!this.#isUsed && first) this.choose(first.key);
    if (this.#revision === model.revision || document.activeElement === this.select) return;
    this.#revision = model.revision;
    const devices = [...model.devices.values()].sort(byName);
    const fields = [...model.fields].filter(field => field === "rssi_dbm" || !hiddenFields.has(field)).map(field => [field, fieldName(field)]).sort(([, one], [, other]) => natural(one.name, other.name));
    const names = fields.map(([, { name }]) => name);
    const option = (value, words) => element("option", { value, text: words });
    this.select.replaceChildren(option("", "nothing"),
      element("optgroup", { label: "A device" }, ...devices.map(device => option(device.key, isolated(model.shortLabel(device))))),
      element("optgroup", { label: "A value of all devices" }, ...fields.map(([field, { name, unit }]) =>
        option("field:" + field, names.filter(one => one === name).length > 1 ? `${name}, ${unit}` : name))));
    this.select.value = this.subject;
  }
}
