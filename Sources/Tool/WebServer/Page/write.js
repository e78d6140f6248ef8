// SPDX-License-Identifier: MIT
// The form that writes a value to a device.
import { element } from "./elements.js";

const refusals = {
  401: "you are no longer logged in", 403: "the request was refused", 413: "the value is too long", 429: "too many wrong tokens came from here", 503: "too many writes wait",
};

export class WriteForm {
  /// `chosen` returns the device.
  constructor(form, characteristic, value, result, chosen) {
    Object.assign(this, { form, characteristic, value, result, chosen });
    form.addEventListener("submit", event => { event.preventDefault(); this.submit(); });
  }

  show(controls) {
    const device = this.chosen();
    this.form.hidden = controls.length === 0 || !device;
    if (this.device !== device?.key) this.result.textContent = "";
    this.device = device?.key;
    const known = [...this.characteristic.options].map(option => option.value);
    if (known.join() === controls.join()) return;
    this.characteristic.replaceChildren(...controls.map(one => element("option", { value: one, text: one })));
  }

  async submit() {
    const device = this.chosen();
    if (!device) return;
    this.result.textContent = "writing…";
    const body = JSON.stringify({ address: device.address, characteristic: this.characteristic.value, value: this.value.value });
    let text;
    try {
      const answer = await fetch("api/write", {
        method: "POST", credentials: "same-origin", headers: { "Content-Type": "application/json" }, body,
      });
      text = await outcome(answer);
    } catch {
      text = "no answer: it is unknown whether it was written";
    }
    // Another device may be chosen by now.
    if (this.device === device.key) this.result.textContent = text;
  }
}

/// What an answer says: without one from the device, the text of the server.
async function outcome(answer) {
  if (answer.ok) return "written";
  const text = await answer.text();
  try { return JSON.parse(text).error ?? text; } catch { /* a text */ }
  if (answer.status >= 500 && answer.status !== 503) return "no answer: it is unknown whether it was written";
  return `not written: ${refusals[answer.status] ?? text.replace(/^\d+: /, "").trim()}`;
}
