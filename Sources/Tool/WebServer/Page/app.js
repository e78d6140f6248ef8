// SPDX-License-Identifier: MIT
// The page of a blectl command: it loads what is known, and follows the records from there.
import { Charts } from "./chart.js";
import { download, element, fieldName, measured, seconds } from "./format.js";
import { EventLog } from "./log.js";
import { Model, title } from "./model.js";
import { DeviceTable, hiddenFields } from "./table.js";

const find = id => document.getElementById(id);
const model = new Model();
const log = new EventLog(find("events"));
const table = new DeviceTable(find("rows"), document.querySelector("thead"), choose);
const charts = new Charts(find("panels"), showRange);
let source, subject = "", subjects = "", controls = [], isLate = true;

async function load() {
  try {
    const answer = await get("/api/devices");
    model.load(answer);
    controls = answer.controls;
    find("command").textContent = answer.command;
    document.title = `${answer.command}: blectl`;
    find("version").textContent = answer.version;
    find("logout").hidden = !answer.token;
    for (const device of model.devices.values()) device.isChanged = true;
    await loadStrengths();
    await loadChart();
    follow(answer.id);
    // What a log has of the time before comes later than the page.
    if (answer.history) setTimeout(load, 1000);
  } catch {
    lost(true);
    setTimeout(load, 2000);
  }
}

async function get(path) {
  const answer = await fetch(path, { credentials: "same-origin" });
  if (answer.status === 401) location.href = "/login";
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

/// The lines of the table begin with what is known.
async function loadStrengths() {
  const since = Date.now() / 1000 - 600;
  const { series } = await get(`/api/values?field=rssi_dbm&source=&points=60&since=${since}`);
  for (const { host, address, points } of series) {
    const device = model.device(host, address);
    device.strengths = points.filter(Boolean).map(([time, , , last]) => [time, last]);
  }
}

function follow(id) {
  source?.close();
  source = new EventSource(`/api/records?after=${encodeURIComponent(id)}`);
  const server = id.split("-")[0];
  source.addEventListener("open", () => lost(false));
  source.addEventListener("error", () => {
    lost(true);
    if (source.readyState === EventSource.CLOSED) { source.close(); setTimeout(load, 2000); }
  });
  source.addEventListener("message", event => {
    // Another server: what it knows is loaded first.
    if (event.lastEventId && event.lastEventId.split("-")[0] !== server) { source.close(); load(); return; }
    take(JSON.parse(event.data));
  });
}

function lost(isLost) { find("stream").hidden = !isLost; }

function take(record) {
  const { device, numbers = [], time } = model.apply(record);
  for (const { source, field, value } of numbers) charts.add(lineKey(device, source, field), time, value);
  if (record.event === "disconnected" && device) charts.breakLines(device.key + " ");
  if (record.event === "interrupted") charts.breakLines("");
  log.add(record, device);
  isLate = true;
}

function lineKey(device, source, field) { return `${device.key} ${source} ${field}`; }

// Drawing: four times a second what has changed, once a second the times.

let ticks = 0;
setInterval(() => {
  ticks += 1;
  if (document.hidden || !isLate && ticks % 4 !== 0) return;
  const now = Date.now() / 1000;
  table.draw(model.devices, subject, now);
  if (ticks % 4 === 0) {
    drawListening();
    drawAlerts();
    drawSubjects();
    if (charts.end === undefined) charts.draw();
  }
  log.draw();
  const count = model.devices.size;
  set(find("count"), table.shown.length === count ? String(count) : `${table.shown.length} of ${count}`);
  find("empty").hidden = count > 0;
  isLate = false;
}, 250);

function set(node, text) { if (node.textContent !== text) node.textContent = text; }

function drawListening() {
  const { state, adapter, reason } = model.listening;
  const connected = [...model.devices.values()].filter(device => device.connected).length;
  const texts = {
    listening: `Listening${adapter ? " on " + adapter : ""}`, interrupted: `Interrupted: ${reason}`,
    unknown: connected ? `${connected} connected` : "Running",
  };
  set(find("listening"), texts[state] ?? state);
  find("listening").className = "pill " + (state === "interrupted" ? "bad" : "good");
}

function drawAlerts() {
  const alerts = [];
  for (const device of model.devices.values()) {
    for (const [condition, alarm] of device.alarms) {
      const values = Object.entries(alarm.decoded ?? {}).map(([field, value]) => measured(value, fieldName(field).unit)).join(", ");
      alerts.push(["alarm", `${title(device)}: ${condition}${values ? ` (${values})` : ""}, since ${new Date(seconds(alarm.time) * 1000).toLocaleTimeString()}`]);
    }
    if (device.absentSince) alerts.push(["absent", `${title(device)}: not heard since ${new Date(seconds(device.absentSince) * 1000).toLocaleString()}`]);
  }
  const text = JSON.stringify(alerts);
  if (drawAlerts.text === text) return;
  drawAlerts.text = text;
  find("alerts").hidden = alerts.length === 0;
  find("alert-list").replaceChildren(...alerts.map(([kind, words]) => element("li", { name: kind, text: words })));
}

// The chart: of a device, or of a field of all devices.

function drawSubjects() {
  const devices = [...model.devices.values()].sort((one, other) => title(one).localeCompare(title(other)));
  const fields = new Set(["rssi_dbm"]);
  for (const device of devices) {
    for (const reading of device.values.values()) {
      for (const [field, value] of Object.entries(reading.decoded ?? {})) if (typeof value === "number") fields.add(field);
    }
  }
  const text = JSON.stringify([devices.map(device => [device.key, title(device)]), [...fields].sort()]);
  if (subjects === text || document.activeElement === find("subject")) return;
  subjects = text;
  const option = (value, words) => element("option", { value, text: words });
  find("subject").replaceChildren(option("", "nothing"),
    element("optgroup", { label: "A device" }, ...devices.map(device => option(device.key, title(device)))),
    element("optgroup", { label: "A value of all devices" }, ...[...fields].sort().map(field => option("field:" + field, fieldName(field).name))));
  find("subject").value = subject;
}

function choose(key) {
  subject = key;
  find("subject").value = key;
  for (const device of model.devices.values()) device.isChanged = true;
  isLate = true;
  loadChart();
  drawWrite();
  if (matchMedia("(max-width: 1199px)").matches) find("charts").scrollIntoView({ block: "nearest" });
}

async function loadChart() {
  const wanted = subject;
  const device = model.devices.get(wanted);
  find("chart-empty").hidden = wanted !== "";
  if (!wanted) return charts.show([]);
  const query = new URLSearchParams({ points: "1000" });
  if (device?.host) query.set("host", device.host);
  if (device) query.set("address", device.address);
  else query.set("field", wanted.replace(/^field:/, ""));
  let series;
  try { ({ series } = await get("/api/values?" + query)); } catch { return; }
  if (wanted !== subject) return;
  const isShown = one => !device || (one.host ?? "") === (device.host ?? "")
    && (one.field === "rssi_dbm" || !hiddenFields.has(one.field));
  // The signal last: the values of a sensor matter more.
  const place = one => Number(one.field === "rssi_dbm");
  charts.show(series.filter(isShown).sort((one, other) => place(one) - place(other)).map(one => {
    const of = model.device(one.host, one.address);
    return {
      key: lineKey(of, one.source, one.field), field: one.field, source: one.source, address: one.address,
      label: title(of), points: one.points,
    };
  }));
}

function showRange() {
  const known = [...find("range").options].some(option => Number(option.value) === Math.round(charts.span));
  find("range").value = known && charts.end === undefined ? String(Math.round(charts.span)) : "";
}

function drawWrite() {
  const device = model.devices.get(subject);
  find("write").hidden = controls.length === 0 || !device;
  if (find("write-characteristic").options.length === 0) {
    find("write-characteristic").replaceChildren(...controls.map(one => element("option", { value: one, text: one })));
  }
}

find("write").addEventListener("submit", async event => {
  event.preventDefault();
  const device = model.devices.get(subject);
  find("write-result").textContent = "writing…";
  const answer = await fetch("/api/write", {
    method: "POST", credentials: "same-origin", headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ address: device.address, characteristic: find("write-characteristic").value, value: find("write-value").value }),
  }).then(one => one.json()).catch(() => ({ error: "no answer: it is unknown whether it was written" }));
  find("write-result").textContent = answer.error ?? "written";
});

// Controls.

find("filter").addEventListener("input", event => { table.filter = event.target.value.trim().toLowerCase(); isLate = true; });
find("sort").addEventListener("change", event => { table.sort.key = ""; table.sortBy(event.target.value); isLate = true; });
find("subject").addEventListener("change", event => choose(event.target.value));
find("range").addEventListener("change", event => { charts.span = Number(event.target.value); charts.end = undefined; charts.draw(); });
find("earlier").addEventListener("click", () => charts.move(-0.5));
find("later").addEventListener("click", () => charts.move(0.5));
find("zoom-in").addEventListener("click", () => charts.zoom(0.5));
find("zoom-out").addEventListener("click", () => charts.zoom(2));
find("live").addEventListener("click", () => { charts.end = undefined; showRange(); charts.draw(); });
find("log-values").addEventListener("change", event => log.change(event.target.checked));
find("log-pause").addEventListener("change", event => { log.isPaused = event.target.checked; log.draw(); });
find("devices-csv").addEventListener("click", () => download("devices.csv", "text/csv", table.csv()));
find("chart-csv").addEventListener("click", () => download("values.csv", "text/csv", charts.csv()));
find("chart-svg").addEventListener("click", () => download("chart.svg", "image/svg+xml", charts.svg()));
find("log-csv").addEventListener("click", () => download("events.csv", "text/csv", log.csv()));
for (const button of document.querySelectorAll("thead button")) button.addEventListener("click", () => { isLate = true; });

load();
