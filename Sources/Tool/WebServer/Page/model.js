// SPDX-License-Identifier: MIT
// What is known of the devices: first from /api/devices, then from each record. As bounded as on the server.
import { Course, rank } from "./course.js";
import { learn, seconds } from "./format.js";
import { brief, natural, visible } from "./text.js";

const base = "-0000-1000-8000-00805f9b34fb";
const leastTime = 600, lookTime = 10;
/// Records after which the server is asked whether anything can be heard: it knows that of each host.
export const receptionEvents = new Set(["started", "interrupted", "resumed", "recovering", "recovered", "silent", "heard", "state"]);
const quietEvents = new Set(["value", "average", "changed", "found", "read", "written"]);
export const mostDevices = 2000;
const mostSources = 64, mostAlarms = 64, mostFields = 1000, longestKept = 128;
/// Fields that tell nothing about the world.
export const hiddenFields = new Set(["rssi_dbm", "packet_id", "counter"]);

export class Model {
  devices = new Map();
  listening = { state: "unknown" };
  /// The fields that are numbers.
  fields = new Set(["rssi_dbm"]);
  /// The records of devices for which there is no room.
  unlisted = 0;
  /// Changes with the devices, their names and the fields.
  revision = 0;
  /// How many devices have a name, and the revision at which they were counted.
  #names = new Map();
  #counted = undefined;
  /// The earliest time at which room is looked for again.
  #nextLook = -Infinity;

  load(answer) {
    this.listening = answer.listening;
    this.unlisted = answer.unlisted ?? 0;
    this.devices = new Map();
    this.revision += 1;
    for (const one of answer.devices) {
      const device = this.device(one.host, one.address, seconds(one.last));
      if (!device) continue;
      Object.assign(device, {
        name: one.name, adapter: one.adapter, company: one.company, rssi: one.rssi, first: seconds(one.first), last: seconds(one.last),
        packets: one.packets, connected: one.connected, lost: one.lost === true, reason: one.reason,
        absentSince: one.absent_since,
      });
      for (const alarm of one.alarms ?? []) device.alarms.set(alarm.when, alarm);
      for (const value of one.values) this.reading(device, value, seconds(value.time), []);
      if (one.rssi !== undefined) this.number(device, "", "rssi_dbm", one.rssi, device.last, []);
    }
  }

  /// The device of an address, a new one if there is room; undefined otherwise.
  device(host, address, time) {
    const key = deviceKey(host, address);
    const known = this.devices.get(key);
    if (known || !this.hasRoom(time)) return known;
    const device = {
      key, host, address, packets: 0, first: time, alarms: new Map(), values: new Map(), main: undefined, course: new Course(), isChanged: true,
    };
    this.devices.set(key, device);
    this.revision += 1;
    return device;
  }

  /// A device that has been silent for longer than it was heard makes room, and no other. The server does the same (PageRoom); to
  /// be told of each device that it forgets would take records of another kind in the stream.
  hasRoom(time) {
    if (this.devices.size < mostDevices) return true;
    if (time < this.#nextLook && time >= this.#nextLook - lookTime) return false;
    const gone = [...this.devices.values()].filter(one => !one.connected && !one.alarms.size && !one.absentSince &&
      time - one.last > Math.max(leastTime, one.last - one.first)).sort((one, other) => one.last - other.last).slice(0, mostDevices / 16);
    for (const { key } of gone) this.devices.delete(key);
    if (gone.length === 0) this.#nextLook = time + lookTime;
    return gone.length > 0;
  }

  /// Takes a record; returns its device, and the numbers that it brings.
  apply(record) {
    if (!record.address || receptionEvents.has(record.event) || record.event.startsWith("adapter_")) return {};
    const time = seconds(record.time);
    const device = this.device(record.host, record.address, time);
    if (!device) { this.unlisted += 1; return {}; }
    const numbers = [];
    device.isChanged = true;
    if (record.name && device.name !== record.name) { device.name = record.name; this.revision += 1; }
    if (!["absent", "lost", "alarm", "cleared"].includes(record.event)) {
      device.last = time;
      device.lost = false;
    }
    switch (record.event) {
      case "found": case "changed": case "lost":
        for (const key of ["adapter", "company", "connected"]) if (key in record) device[key] = record[key];
        device.lost = record.event === "lost";
        if (device.lost) { device.rssi = undefined; break; }
        device.packets += 1;
        this.number(device, "", "rssi_dbm", record.rssi, time, numbers);
        for (const beacon of [record.beacon, ...(record.more_beacons ?? [])]) {
          if (!beacon) continue;
          const { type, ...decoded } = beacon;
          this.reading(device, { source: type, time: record.time, decoded }, time, numbers);
        }
        break;
      case "value": case "average": case "read": case "written": {
        device.packets += record.event === "average" ? record.count ?? 1 : 1;
        device.absentSince = undefined;
        const source = record.type ?? short(record.characteristic) ?? record.company ?? "data";
        this.reading(device, { source, time: record.time, value: record.value, decoded: record.decoded }, time, numbers);
        break;
      }
      case "connected": case "reconnected": device.connected = true; device.reason = undefined; break;
      case "disconnected": device.connected = false; device.reason = record.reason ?? record.link_end; break;
      case "alarm": if (device.alarms.size < mostAlarms) device.alarms.set(record.when, record); break;
      case "cleared": device.alarms.delete(record.when); break;
      case "absent": device.absentSince = record.last ?? record.time; break;
      case "returned": device.absentSince = undefined; break;
    }
    return { device, numbers, time };
  }

  reading(device, reading, time, numbers) {
    const { source, decoded } = reading;
    const former = device.values.get(source);
    if (!former && device.values.size >= mostSources) return;
    device.values.set(source, { ...reading, decoded: decoded && { ...kept(former?.decoded), ...decoded } });
    for (const [field, value] of Object.entries(decoded ?? {})) {
      this.number(device, field === "rssi_dbm" ? "" : source, field, value, time, numbers);
    }
  }

  /// Takes a number, or a flag as 0 or 1.
  number(device, source, field, known, time, numbers) {
    if (!isNumber(known)) return;
    const value = Number(known);
    if (field === "rssi_dbm") device.rssi = value;
    learn(field, known);
    if (!this.fields.has(field) && this.fields.size < mostFields) { this.fields.add(field); this.revision += 1; }
    numbers.push({ source, field, value });
    const isHidden = hiddenFields.has(field) && field !== "rssi_dbm";
    const isMain = device.main?.source === source && device.main.field === field;
    if (!isHidden && !isMain && (!device.main || rank(field) < rank(device.main.field))) {
      device.main = { source, field };
      device.course = new Course();
    } else if (!isMain) {
      return;
    }
    device.course.add(time, value);
  }

  /// Begins the course of a main value with what the server has; later points are behind it.
  loadCourse({ host, address, source, field, points }) {
    const device = this.devices.get(deviceKey(host, address));
    if (!device || device.main?.source !== source || device.main.field !== field) return;
    const course = new Course();
    for (const point of points) if (point) course.add(point[0], point[3]);
    device.course = course;
    device.isChanged = true;
  }

  /// Returns whether another device has the same name.
  isAmbiguous(device) {
    if (this.#counted !== this.revision) {
      this.#counted = this.revision;
      this.#names = new Map();
      for (const one of this.devices.values()) this.#names.set(title(one), (this.#names.get(title(one)) ?? 0) + 1);
    }
    return this.#names.get(title(device)) > 1;
  }

  /// What a device is called where there is little room: not as another one.
  shortLabel(device) { return shortTitle(device) + (this.isAmbiguous(device) ? ` (${device.address.slice(-5)})` : ""); }

  static isQuiet(record) { return quietEvents.has(record.event); }
}

export function deviceKey(host, address) { return (host ?? "") + " " + address; }

/// What a device is called, harmlessly.
export function title(device) { return visible(device.name || device.address) + (device.host ? ` (${visible(device.host)})` : ""); }
export function shortTitle(device) { return brief(device.name || device.address, 40) + (device.host ? ` (${brief(device.host, 20)})` : ""); }

export function byName(one, other) {
  const named = Number(!one.name) - Number(!other.name);
  return named || natural(title(one), title(other)) || natural(one.key, other.key);
}

/// What is left of a reading when another one comes: a device that sends its values by turns still has them.
function kept(decoded) {
  const isKept = value => isNumber(value) || typeof value === "string" && value.length <= longestKept;
  return Object.fromEntries(Object.entries(decoded ?? {}).filter(([, value]) => isKept(value)).slice(0, mostSources));
}

function isNumber(value) { return typeof value === "number" || typeof value === "boolean"; }

function short(uuid) {
  return uuid?.startsWith("0000") && uuid.endsWith(base) ? uuid.slice(4, 8) : uuid;
}
