// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import Histories
internal import JSON

/// A query for certain numbers, from a certain time on.
struct ValuesQuery: Sendable, Equatable {
  /// The start, in seconds since 1970.
  var since = -Double.infinity
  var host: String?
  var address: String?
  var source: String?
  var field: String?
  /// The most points of each.
  var points = 1024

  init() {}
}

extension PageModel {
  var sortedDevices: [PageDevice] {
    devices.values.sorted { ($0.key.address, $0.key.host ?? "") < ($1.key.address, $1.key.host ?? "") }
  }

  var sortedSeries: [(key: PageSeries.Key, value: PageSeries)] {
    series.sorted {
      ($0.key.device.address, $0.key.device.host ?? "", $0.key.source, $0.key.field)
        < ($1.key.device.address, $1.key.device.host ?? "", $1.key.source, $1.key.field)
    }
  }

  /// Writes that numbers from before the start are still being read.
  func writePast(to json: inout JSONWriter) {
    if awaitsPast { json.field("history", "loading") }
  }

  /// Writes whether anything can be heard.
  func writeListening(to json: inout JSONWriter) {
    json.object("listening") { json in
      switch listening {
      case .unknown: json.field("state", "unknown")
      case .listening(let adapter):
        json.field("state", "listening")
        json.field("adapter", adapter)
      case .interrupted(let reason, let since):
        json.field("state", "interrupted")
        json.field("reason", reason)
        json.field("since", since)
      }
    }
  }

  /// Writes the devices, in the order of their addresses.
  func writeDevices(to json: inout JSONWriter) {
    json.array("devices") { json in
      for device in sortedDevices { json.object { device.write(to: &$0) } }
    }
    if unlisted > 0 { json.field("unlisted", unlisted) }
  }

  /// Returns the lines that a query chooses, in order.
  func keys(for query: ValuesQuery) -> [PageSeries.Key] {
    sortedSeries.map(\.key).filter { key in
      (query.host == nil || query.host == key.device.host)
        && (query.address == nil || query.address == key.device.address)
        && (query.source == nil || query.source == key.source)
        && (query.field == nil || query.field == key.field)
    }
  }

  /// Writes a number over time; returns false if it has been forgotten.
  func writeLine(_ key: PageSeries.Key, _ query: ValuesQuery, to json: inout JSONWriter) -> Bool {
    guard let one = series[key] else { return false }
    let history = one.history.thinned(from: query.since, to: min(query.points, PastNumbers.mostPoints) + 1)
    json.object { json in
      json.field("host", key.device.host)
      json.field("address", key.device.address)
      json.field("name", devices[key.device]?.name)
      json.field("source", key.source)
      json.field("field", key.field)
      json.array("points") { json in
        for (index, bucket) in history.buckets.enumerated() {
          if bucket.followsGap, index > 0 { json.literal("null") }
          json.value([bucket.time, bucket.low, bucket.high, bucket.last])
        }
      }
    }
    return true
  }
}

extension PageDevice {
  fileprivate func write(to json: inout JSONWriter) {
    json.field("address", key.address)
    json.field("host", key.host)
    json.field("name", name)
    json.field("adapter", adapter)
    json.field("company", company)
    json.field("rssi", rssi)
    json.field("first", first)
    json.field("last", last)
    json.field("packets", packets)
    json.field("connected", isConnected)
    json.field("paired", isPaired)
    json.field("reason", reason)
    if connections + disconnections + reconnections > 0 {
      json.field("connections", connections)
      json.field("disconnections", disconnections)
      json.field("reconnections", reconnections)
    }
    if isLost { json.field("lost", true) }
    json.field("absent_since", absentSince)
    if !alarms.isEmpty {
      json.array("alarms") { json in
        for (condition, alarm) in alarms.sorted(by: { $0.key < $1.key }) {
          json.object { json in
            json.field("when", condition)
            json.field("time", alarm.time)
            json.field("decoded", alarm.decoded)
          }
        }
      }
    }
    json.array("values") { json in
      for (source, reading) in readings.sorted(by: { $0.key < $1.key }) {
        json.object { json in
          json.field("source", source)
          json.field("time", reading.time)
          json.field("value", reading.value)
          json.field("decoded", reading.decoded)
        }
      }
    }
  }
}

extension JSONNode {
  /// Returns this object with those values of a former one that it does not have: a device may send its values by turns.
  func keeping(_ former: JSONNode?) -> JSONNode {
    guard let new = members, let old = former?.members, old.count <= PageDevice.mostReadings else {
      return self
    }
    let names = Set(new.map(\.key))
    let kept = old.filter {
      !names.contains($0.key) && $0.value.isShort && !Self.keysOfFaults.contains($0.key)
    }
    return kept.isEmpty ? self : JSONNode(.object(new + kept), at: place, pointer)
  }

  /// A decoded value; if its own checksum is wrong, only the faults and the signal strength.
  var trusted: JSONNode {
    guard self[DecodedFields.wrongChecksumKey]?.isTrue == true, let members else { return self }
    let kept = members.filter { Self.keysOfFaults.contains($0.key) || $0.key == "rssi_dbm" }
    return JSONNode(.object(kept), at: place, pointer)
  }

  /// The keys of decoded values that are about one value, and not about the next one.
  private static let keysOfFaults: Set<String> = [
    DecodedFields.problemKey, DecodedFields.wrongChecksumKey, "rest",
  ]

  /// True if it costs little memory to keep: a number, a flag, or a text that is not long.
  private var isShort: Bool {
    measured != nil || string.map { $0.utf8.count <= PageDevice.longestKept } ?? false
  }

  /// True if it is true.
  var isTrue: Bool { content == .bool(true) }
}
