// SPDX-License-Identifier: MIT
internal import Histories
package import JSON

/// A query for certain numbers, from a certain time on.
package struct ValuesQuery: Sendable, Equatable {
  /// The start, in seconds since 1970.
  package var since = -Double.infinity
  package var host: String?
  package var address: String?
  package var source: String?
  package var field: String?
  /// The most points of each.
  package var points = 1024

  package init() {}
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
  package func writePast(to json: inout JSONWriter) {
    if awaitsPast { json.field("history", "loading") }
  }

  /// Writes whether anything can be heard.
  package func writeListening(to json: inout JSONWriter) {
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
  package func writeDevices(to json: inout JSONWriter) {
    json.array("devices") { json in
      for device in sortedDevices { json.object { device.write(to: &$0) } }
    }
  }

  /// Writes numbers over time.
  package func writeValues(_ query: ValuesQuery, to json: inout JSONWriter) {
    json.array("series") { json in
      for (key, one) in sortedSeries {
        if let host = query.host, host != key.device.host { continue }
        if let address = query.address, address != key.device.address { continue }
        if let source = query.source, source != key.source { continue }
        if let field = query.field, field != key.field { continue }
        let history = one.history.thinned(from: query.since, to: max(2, query.points))
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
      }
    }
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

extension JSONNode: JSONValue {
  /// Writes the value as it was read.
  package func write(to json: inout JSONWriter) {
    switch content {
    case .null: json.literal("null")
    case .bool(let flag): json.literal(flag ? "true" : "false")
    case .number(let number): json.literal(number.text)
    case .string(let text): json.text(text)
    case .array(let elements): json.array { json in for element in elements { json.value(element) } }
    case .object(let members):
      json.object { json in for member in members { json.field(member.key, member.value) } }
    }
  }

  /// True if it is true.
  var isTrue: Bool { content == .bool(true) }
}
