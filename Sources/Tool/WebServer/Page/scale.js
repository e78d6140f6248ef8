// SPDX-License-Identifier: MIT
// Ticks of the axes of a chart: round numbers and times.
import { clockTime, dayTime, minuteTime } from "./format.js";

/// Ticks from below the lowest value to above the highest one, each with its text.
export function numberTicks(low, high, count) {
  if (low === high) [low, high] = [low - Math.abs(low) / 100 - 0.5, high + Math.abs(high) / 100 + 0.5];
  // A step that is smaller than the precision of the values would not come from one to the next.
  const raw = Math.max((high - low) / count, Math.max(Math.abs(low), Math.abs(high)) * 1e-12);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(part => part * power).find(part => part >= raw);
  const places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const text = value => Math.abs(value) >= 1e7 || places > 5 ? String(Number(value.toPrecision(3))) : value.toFixed(places);
  const ticks = [];
  const first = Math.floor(low / step), number = Math.min(20, Math.ceil(high / step - 1e-9) - first);
  for (let tick = 0; tick <= number; tick += 1) {
    const value = Number(((first + tick) * step).toPrecision(15));
    ticks.push({ value, text: text(value) });
  }
  return ticks;
}

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 2592000];

/// Ticks of times, at most `count`, each with its text.
export function timeTicks(start, end, count) {
  const step = steps.find(one => (end - start) / one <= count) ?? 2592000;
  const zone = -new Date(end * 1000).getTimezoneOffset() * 60;
  const words = end - start > 86400 * 1.5 ? dayTime : step < 60 ? clockTime : minuteTime;
  const ticks = [];
  for (let tick = Math.ceil((start + zone) / step) * step - zone; tick <= end; tick += step) ticks.push({ value: tick, text: words(tick) });
  return ticks;
}
