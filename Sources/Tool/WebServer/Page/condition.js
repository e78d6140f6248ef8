// SPDX-License-Identifier: MIT
// The conditions of `--when`: as words, and as lines in a chart.
import { fieldName } from "./format.js";
import { visible } from "./text.js";

const comparison = /([a-z][a-z0-9_]*)\s*(<=|>=|!=|==|<|>|=)\s*(-?\d+(?:\.\d+)?)/gi;

/// `temperature_celsius > 25 for 5m` as `temperature > 25 °C for 5m`.
export function conditionWords(text) {
  return visible(text).replace(comparison, (_, field, sign, value) => {
    const { name, unit } = fieldName(field);
    return `${name} ${sign}\u00a0${value}${unit ? "\u00a0" + unit : ""}`;
  });
}

/// The limits that conditions have for a field, which they may name without its unit.
export function thresholds(conditions, field) {
  const known = new Map();
  const { name, unit } = fieldName(field);
  const short = name.replaceAll(" ", "_");
  for (const condition of conditions) {
    for (const [, of, sign, text] of condition.matchAll(comparison)) {
      if ((of === field || of === short) && /[<>]/.test(sign)) {
        known.set(sign + text, { value: Number(text), words: `${sign}\u00a0${text}${unit ? "\u00a0" + unit : ""}` });
      }
    }
  }
  return [...known.values()];
}
