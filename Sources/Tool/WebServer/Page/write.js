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
    this.form.hidden = controls.length === 0 || !this.chosen();
    const known = [...this.characteristic.options].map(option => option.value);
    if (known.join() === controls.join()) return;
    this.characteristic.replaceChildren(...controls.map(one => element("option", { value: one, text: one })));
  }

  async submit() {
    this.result.textContent = "writing…";
    const body = JSON.stringify({ address: this.chosen().address, characteristic: this.characteristic.value, value: this.value.value });
    try {
      const answer = await fetch("api/write", {
        method: "POST", credentials: "same-origin", headers: { "Content-Type": "application/json" }, body,
      });
      this.result.textContent = await outcome(answer);
    } catch {
      this.result.textContent = "no answer: it is unknown whether it was written";
    }
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
