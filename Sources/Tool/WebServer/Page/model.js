// SPDX-License-Identifier: MIT
// What is known of the devices: first from /api/devices, then from each record.
import { seconds } from "./format.js";

const base = "-0000-1000-8000-00805f9b34fb";
const quietEvents = new Set(["value", "average", "changed", "found", "read", "written"]);
/// How many strengths a line in the table shows.
const strengths = 60;

export class Model {
  devices = new Map();
  listening = { state: "unknown" };

  load(answer) {
    this.listening = answer.listening;
    const known = this.devices;
    this.devices = new Map();
    for (const one of answer.devices) {
      const device = this.device(one.host, one.address);
      Object.assign(device, {
        name: one.name, adapter: one.adapter, company: one.company, rssi: one.rssi, last: seconds(one.last),
        packets: one.packets, connected: one.connected, lost: one.lost === true, reason: one.reason,
        absentSince: one.absent_since, strengths: known.get(device.key)?.strengths ?? [],
      });
      for (const alarm of one.alarms ?? []) device.alarms.set(alarm.when, alarm);
      for (const value of one.values) device.values.set(value.source, value);
    }
  }

  device(host, address) {
    const key = (host ?? "") + " " + address;
    let device = this.devices.get(key);
    if (!device) {
      device = {
        key, host, address, packets: 0, alarms: new Map(), values: new Map(), strengths: [], isChanged: true,
      };
      this.devices.set(key, device);
    }
    return device;
  }

  /// Takes a record; returns its device, and the numbers that it brings.
  apply(record) {
    switch (record.event) {
      case "started": case "resumed":
        this.listening = { state: "listening", adapter: record.adapter };
        return {};
      case "interrupted":
        this.listening = { state: "interrupted", reason: record.reason, since: record.time };
        return {};
      case "state":
        this.listening = record.state === "on" ? { state: "listening" }
          : { state: "interrupted", reason: "Bluetooth: " + record.state, since: record.time };
        return {};
    }
    if (!record.address || record.event.startsWith("adapter_")) return {};
    const device = this.device(record.host, record.address);
    const time = seconds(record.time);
    const numbers = [];
    device.isChanged = true;
    if (record.name) device.name = record.name;
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
        this.strength(device, record.rssi, time, numbers);
        for (const beacon of [record.beacon, ...(record.more_beacons ?? [])]) {
          if (!beacon) continue;
          const { type, ...decoded } = beacon;
          this.reading(device, type, { source: type, time: record.time, decoded }, time, numbers);
        }
        break;
      case "value": case "average": case "read": case "written": {
        device.packets += record.event === "average" ? record.count ?? 1 : 1;
        device.absentSince = undefined;
        const source = record.type ?? this.short(record.characteristic) ?? record.company ?? "data";
        this.reading(device, source, { source, time: record.time, value: record.value, decoded: record.decoded }, time, numbers);
        break;
      }
      case "connected": case "reconnected": device.connected = true; device.reason = undefined; break;
      case "disconnected": device.connected = false; device.reason = record.reason ?? record.link_end; break;
      case "alarm": device.alarms.set(record.when, record); break;
      case "cleared": device.alarms.delete(record.when); break;
      case "absent": device.absentSince = record.last ?? record.time; break;
      case "returned": device.absentSince = undefined; break;
    }
    return { device, numbers, time };
  }

  reading(device, source, reading, time, numbers) {
    device.values.set(source, reading);
    for (const [field, value] of Object.entries(reading.decoded ?? {})) {
      if (field === "rssi_dbm") this.strength(device, value, time, numbers);
      else if (typeof value === "number" || typeof value === "boolean") numbers.push({ source, field, value: Number(value) });
    }
  }

  strength(device, rssi, time, numbers) {
    if (typeof rssi !== "number") return;
    device.rssi = rssi;
    device.strengths.push([time, rssi]);
    if (device.strengths.length > strengths) device.strengths.shift();
    numbers.push({ source: "", field: "rssi_dbm", value: rssi });
  }

  short(uuid) {
    return uuid?.startsWith("0000") && uuid.endsWith(base) ? uuid.slice(4, 8) : uuid;
  }

  static isQuiet(record) { return quietEvents.has(record.event); }
}

export function title(device) { return (device.name || device.address) + (device.host ? ` (${device.host})` : ""); }
