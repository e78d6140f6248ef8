// SPDX-License-Identifier: MIT
// Names and units of fields, numbers, times.
import { visible } from "./text.js";

const units = {
  celsius: "°C", fahrenheit: "°F", percent: "%", bpm: "bpm", dbm: "dBm", hpa: "hPa", kpa: "kPa", pa: "Pa", mmhg: "mmHg",
  lux: "lx", v: "V", mv: "mV", a: "A", ma: "mA", w: "W", kwh: "kWh", kj: "kJ", kcal: "kcal", s: "s", ms: "ms",
  minutes: "min", hours: "h", m: "m", cm: "cm", mm: "mm", m2: "m²", m3: "m³", kg: "kg", g: "g", mg: "mg", lb: "lb",
  l: "l", ml: "ml", ppm: "ppm", ppb: "ppb", rpm: "rpm", hz: "Hz", ohm: "Ω", degrees: "°", nm: "Nm", va: "VA",
};
const quotients = {
  m_per_s: "m/s", m_per_s2: "m/s²", ug_per_m3: "µg/m³", m3_per_h: "m³/h", degrees_per_s: "°/s", us_per_cm: "µS/cm",
};

/// The words of a field, and its unit; of a second one of its kind, too: `humidity_percent_2`.
export function fieldName(field) {
  if (field === "rssi_dbm") return { name: "signal", unit: "dBm" };
  const [, base, count] = /^(.*?)(_\d+)?$/s.exec(field);
  const place = count ? " " + count.slice(1) : "";
  for (const [end, unit] of Object.entries(quotients)) {
    if (base.endsWith("_" + end)) return { name: words(base.slice(0, -end.length - 1)) + place, unit };
  }
  const parts = base.split("_");
  const unit = parts.length > 1 && Object.hasOwn(units, parts.at(-1)) ? units[parts.pop()] : "";
  return { name: words(parts.join("_")) + place, unit };
}

function words(field) { return visible(field.replaceAll("_", " ")); }

/// The decimals of each field, as many as it has ever had: a value does not change its width with each record.
const decimals = new Map();
const mostFields = 1000, mostDecimals = 3;

/// The fields that have been nothing but true or false.
const flags = new Map();

/// True for a field that says yes or no.
export function isFlag(field) { return flags.get(field) === true; }

/// Takes note of the decimals of a number, and of flags.
export function learn(field, value) {
  const isBoolean = typeof value === "boolean";
  if (flags.has(field) ? flags.get(field) && !isBoolean : flags.size < mostFields) flags.set(field, isBoolean);
  if (isBoolean) return;
  const known = decimals.get(field);
  if (known === mostDecimals || !Number.isFinite(value) || known === undefined && decimals.size >= mostFields) return;
  const text = String(Number(value.toPrecision(7)));
  const own = text.includes("e") ? mostDecimals : Math.min(mostDecimals, (text.split(".")[1] ?? "").length);
  if (known === undefined || own > known) decimals.set(field, own);
}

/// The number of a field, with the decimals of that field.
export function number(value, field) {
  if (!Number.isFinite(value)) return "";
  const places = decimals.get(field) ?? mostDecimals;
  const size = Math.abs(value);
  if (size >= 1e9 || size > 0 && size < 0.5 / 10 ** places) return String(Number(value.toPrecision(4)));
  const text = value.toFixed(places);
  return decimals.has(field) ? text : String(Number(text));
}

/// A value with its unit: `21.50 °C`.
export function measured(value, field) {
  const { unit } = fieldName(field);
  const isAnswer = typeof value === "boolean" || isFlag(field) && (value === 0 || value === 1);
  const text = isAnswer ? (value ? "yes" : "no") : typeof value === "number" ? number(value, field)
    : visible(typeof value === "string" ? value : JSON.stringify(value));
  return unit ? `${text}\u00a0${unit}` : text;
}

// Times: one format everywhere, with the day if it is another one.
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const minute = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });

export function clockTime(seconds) { return clock.format(new Date(seconds * 1000)); }
export function minuteTime(seconds) { return minute.format(new Date(seconds * 1000)); }
export function dayTime(seconds) { return `${day.format(new Date(seconds * 1000))}, ${minuteTime(seconds)}`; }
export function seconds(time) { return Date.parse(time) / 1000; }

/// A time of day, or one of another day.
export function moment(then, now) {
  const isToday = new Date(then * 1000).toDateString() === new Date(now * 1000).toDateString();
  return isToday ? clockTime(then) : `${day.format(new Date(then * 1000))}, ${clockTime(then)}`;
}

/// How long ago: `now`, `12 s ago`.
export function ago(then, now) {
  const past = Math.max(0, now - then);
  if (past < 2) return "now";
  if (past < 90) return `${Math.round(past)} s ago`;
  if (past < 5400) return `${Math.round(past / 60)} min ago`;
  if (past < 129600) return `${Math.round(past / 3600)} h ago`;
  return `${Math.round(past / 86400)} days ago`;
}
