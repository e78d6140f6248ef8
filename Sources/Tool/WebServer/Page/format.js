// SPDX-License-Identifier: MIT
// Names and units of fields, numbers, times.

const units = {
  celsius: "°C", fahrenheit: "°F", percent: "%", bpm: "bpm", dbm: "dBm", hpa: "hPa", kpa: "kPa", pa: "Pa", mmhg: "mmHg",
  lux: "lx", v: "V", mv: "mV", a: "A", ma: "mA", w: "W", kwh: "kWh", kj: "kJ", kcal: "kcal", s: "s", ms: "ms",
  minutes: "min", hours: "h", m: "m", cm: "cm", mm: "mm", m2: "m²", m3: "m³", kg: "kg", g: "g", mg: "mg", lb: "lb",
  l: "l", ml: "ml", ppm: "ppm", ppb: "ppb", rpm: "rpm", hz: "Hz", ohm: "Ω", degrees: "°", nm: "Nm", va: "VA",
};
const quotients = {
  m_per_s: "m/s", m_per_s2: "m/s²", ug_per_m3: "µg/m³", m3_per_h: "m³/h", degrees_per_s: "°/s", us_per_cm: "µS/cm",
};

/// The words of a field, and its unit.
export function fieldName(field) {
  for (const [end, unit] of Object.entries(quotients)) {
    if (field.endsWith("_" + end)) return { name: field.slice(0, -end.length - 1).replaceAll("_", " "), unit };
  }
  const words = field.split("_");
  const unit = words.length > 1 ? units[words.at(-1)] : undefined;
  if (unit) words.pop();
  if (field === "rssi_dbm") return { name: "signal", unit };
  return { name: words.join(" "), unit: unit ?? "" };
}

/// A value with its unit: `21.5 °C`.
export function measured(value, unit) {
  const text = typeof value === "number" ? number(value) : typeof value === "boolean" ? (value ? "yes" : "no")
    : typeof value === "string" ? value : JSON.stringify(value);
  return unit ? `${text} ${unit}` : text;
}

export function number(value) {
  if (!Number.isFinite(value)) return "";
  return String(Number(value.toPrecision(7)));
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit", hour12: false });

export function clockTime(seconds) { return clock.format(new Date(seconds * 1000)); }
export function dayTime(seconds) { return day.format(new Date(seconds * 1000)); }
export function seconds(time) { return Date.parse(time) / 1000; }

/// How long ago: `now`, `12 s ago`.
export function ago(then, now) {
  const past = Math.max(0, now - then);
  if (past < 2) return "now";
  if (past < 90) return `${Math.round(past)} s ago`;
  if (past < 5400) return `${Math.round(past / 60)} min ago`;
  if (past < 129600) return `${Math.round(past / 3600)} h ago`;
  return `${Math.round(past / 86400)} days ago`;
}

/// A CSV file for a spreadsheet, in which no text becomes a formula.
export function csv(rows) {
  const cell = value => {
    let text = value === undefined || value === null ? "" : String(value);
    if (typeof value === "string" && /^[=+\-@\t]/.test(text)) text = "'" + text;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map(row => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

export function download(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/// An element with text, which is never HTML: names come from the air.
export function element(tag, { text, name, ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const space = "http://www.w3.org/2000/svg";
export function drawing(tag, attributes = {}, text) {
  const made = document.createElementNS(space, tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}
