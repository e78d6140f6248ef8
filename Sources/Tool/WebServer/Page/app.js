// SPDX-License-Identifier: MIT
// The page of a blectl command: it loads what is known, and follows the records from there.
import { Alerts } from "./alerts.js";
import { Charts, pointsEach } from "./chart.js";
import { Chooser } from "./chooser.js";
import { now } from "./clock.js";
import { rank } from "./course.js";
import { download, reach, set } from "./elements.js";
import { Feed, get } from "./feed.js";
import { EventLog } from "./log.js";
import { Model, deviceKey, hiddenFields, mostDevices, receptionEvents, title } from "./model.js";
import { picture } from "./picture.js";
import { DeviceTable } from "./table.js";
import { visible } from "./text.js";
import { WriteForm } from "./write.js";

const find = id => document.getElementById(id);
const model = new Model();
const log = new EventLog(find("events"));
const chooser = new Chooser(find("subject"), showSubject);
const table = new DeviceTable(find("rows"), document.querySelector("thead"), choose);
const charts = new Charts(find("panels"), showRange);
const alerts = new Alerts(find("alerts"), find("alert-list"), find("alert-count"));
const write = new WriteForm(find("write"), find("write-characteristic"), find("write-value"), find("write-result"), () => model.devices.get(chooser.subject));
const feed = new Feed(load, take, record => log.add(record), isLost => { find("stream").hidden = !isLost; find("listening").hidden = isLost; });
/// One below the other: what is chosen is out of sight.
const isStacked = matchMedia("(max-width: 1099px)");
let controls = [], conditions = new Set();

async function load(answer) {
  model.load(answer);
  controls = answer.controls;
  conditions = new Set(answer.conditions);
  for (const device of model.devices.values()) for (const condition of device.alarms.keys()) conditions.add(condition);
  charts.conditions = [...conditions];
  set(find("command"), answer.command);
  document.title = `${answer.command}: blectl`;
  set(find("version"), answer.version);
  find("logout").hidden = !answer.token;
  table.isStale = true;
  chooser.forget(model);
  const { subject } = chooser;
  if (!subject) charts.show([]);
  draw();
  write.show(controls);
  await loadCourses();
  // What is chosen now is already on its way.
  if (subject) await loadChart(true);
}

/// The lines of the table begin with what is known.
async function loadCourses() {
  const fields = new Set([...model.devices.values()].map(device => device.main?.field).filter(Boolean));
  for (const field of [...fields].slice(0, 8)) {
    const query = new URLSearchParams({ field, points: 60, since: now() - 3600 });
    const { series } = await get("api/values?" + query);
    for (const one of series) model.loadCourse(one);
  }
}

function take(record) {
  const { device, numbers = [], time } = model.apply(record);
  for (const { source, field, value } of numbers) {
    charts.add(lineKey(device, source, field), time, value, () => isCharted(device, field) ? facts(device, source, field) : undefined);
  }
  if (record.event === "disconnected" && device) charts.breakLines(device.key + " ");
  if (record.event === "interrupted") charts.breakLines((record.host ?? "") + " ");
  if (receptionEvents.has(record.event)) feed.reload(2000);
  if (record.event === "alarm" && !conditions.has(record.when)) charts.conditions = [...conditions.add(record.when)];
  log.add(record);
}

// Drawing: four times a second what has changed, once a second the times.

let ticks = 0;
setInterval(() => { ticks += 1; draw(ticks % 4 === 0); }, 250);
document.addEventListener("visibilitychange", () => draw());

function draw(isFull = true) {
  if (document.hidden) return;
  if (isFull || table.isStale) table.arrange(model);
  table.draw(chooser.subject, isFull ? now() : undefined);
  log.draw();
  if (!isFull) return;
  chooser.draw(model, table.shown[0]);
  alerts.draw(model);
  charts.tick();
  drawListening();
  const count = model.devices.size;
  set(find("count"), table.shown.length === count ? String(count) : `${table.shown.length} of ${count}`);
  find("unlisted").hidden = model.unlisted === 0;
  set(find("unlisted"), `There is room for ${mostDevices} devices: ${model.unlisted} ${model.unlisted === 1 ? "record" : "records"} of others ${model.unlisted === 1 ? "is" : "are"} not shown.`);
  find("empty").hidden = table.shown.length > 0;
  set(find("empty"), count > 0 ? "No device passes the filter." : "No device has been heard yet.");
  find("no-events").hidden = find("events").childElementCount > 0;
  drawEmpty();
}

function drawListening() {
  const { state, adapter, reason } = model.listening;
  let connected = 0;
  for (const device of model.devices.values()) connected += Number(device.connected === true);
  const texts = {
    listening: `Listening${adapter ? " on " + visible(adapter) : ""}`, interrupted: `Interrupted: ${visible(reason ?? "")}`,
    unknown: connected ? `${connected} connected` : "Running",
  };
  set(find("listening"), texts[state] ?? state);
  find("listening").className = "pill " + (state === "interrupted" ? "bad" : "good");
}

function drawEmpty() {
  find("chart-empty").hidden = charts.lines.size > 0;
  set(find("chart-empty"), chooser.subject ? "No numbers yet." : "Choose a device or a value: its numbers are drawn here.");
}

// The chart: of a device, or of a field of all devices.

/// A device was chosen in the table.
async function choose(key) {
  chooser.choose(key);
  if (!isStacked.matches) return;
  await loaded;
  reach(find("charts"));
}

let loaded;
function showSubject() {
  loaded = loadChart();
  write.show(controls);
  find("back").hidden = !model.devices.has(chooser.subject);
  table.draw(chooser.subject);
}

/// Back from the chart to the row of its device.
function goBack() {
  const button = table.button(chooser.subject);
  if (!button) return;
  reach(button, "center");
  button.focus({ preventScroll: true });
}

function lineKey(device, source, field) { return `${device.key} ${source} ${field}`; }

function isCharted(device, field) {
  if (chooser.field !== undefined) return chooser.field === field;
  return chooser.subject === device.key && (field === "rssi_dbm" || !hiddenFields.has(field));
}

function facts(device, source, field, points = []) {
  return { key: lineKey(device, source, field), field, source, address: device.address, name: device.name, label: label(device, source), points };
}

/// Two devices with one name, and two sources in one device, are told apart.
function label(device, source) {
  if (chooser.field === undefined) return visible(source || "signal");
  return model.isAmbiguous(device) ? `(${device.address.slice(-5)}) ${title(device)}` : title(device);
}

async function loadChart(keeps = false) {
  const wanted = chooser.subject;
  const device = model.devices.get(wanted);
  const { field } = chooser;
  if (!keeps) charts.show([]);
  if (!device && field === undefined) return;
  const query = new URLSearchParams({ points: pointsEach(device ? 10 : model.devices.size) });
  if (device?.host) query.set("host", device.host);
  if (device) query.set("address", device.address);
  else query.set("field", field);
  let series;
  try { ({ series } = await get("api/values?" + query)); } catch { return; }
  if (wanted !== chooser.subject) return;
  // What matters most is at the top.
  charts.show(series.sort((one, other) => rank(one.field) - rank(other.field)).map(one => [model.devices.get(deviceKey(one.host, one.address)), one])
    .filter(([of, one]) => of && isCharted(of, one.field)).map(([of, one]) => facts(of, one.source, one.field, one.points)), keeps);
  drawEmpty();
}

function showRange() {
  const known = [...find("range").options].some(option => Number(option.value) === Math.round(charts.span));
  find("range").value = known && charts.end === undefined ? String(Math.round(charts.span)) : "";
}

// Controls.

for (const link of document.querySelectorAll("nav a")) link.addEventListener("click", () => reach(document.querySelector(link.hash)));
find("filter").addEventListener("input", event => { table.filterBy(event.target.value); draw(); });
find("sort").addEventListener("change", event => { table.sort.key = ""; table.sortBy(event.target.value); draw(); });
for (const button of document.querySelectorAll("thead button")) button.addEventListener("click", () => draw());
find("range").addEventListener("change", event => charts.follow(Number(event.target.value)));
find("back").addEventListener("click", goBack);
find("earlier").addEventListener("click", () => charts.move(-0.5));
find("later").addEventListener("click", () => charts.move(0.5));
find("zoom-in").addEventListener("click", () => charts.zoom(0.5));
find("zoom-out").addEventListener("click", () => charts.zoom(2));
find("live").addEventListener("click", () => charts.follow());
find("log-values").addEventListener("change", event => log.change(event.target.checked));
find("log-pause").addEventListener("change", event => { log.isPaused = event.target.checked; log.draw(); });
find("devices-csv").addEventListener("click", () => download("devices.csv", "text/csv", table.csv()));
find("chart-csv").addEventListener("click", () => download("values.csv", "text/csv", charts.csv()));
find("chart-svg").addEventListener("click", () => download("chart.svg", "image/svg+xml", picture([...charts.panels.values()], Math.max(240, find("panels").clientWidth))));
find("log-csv").addEventListener("click", () => download("events.csv", "text/csv", log.csv()));

feed.load();
