// SPDX-License-Identifier: MIT
internal import JSON

/// Metrics in the text format of Prometheus.
struct MetricsText {
  private struct Family {
    let help: String
    let type: String
    var samples: [(labels: [(String, String)], value: Double)] = []
    var known: Set<String> = []
  }

  /// Names of gauges that say something else than what a device reports.
  private static let own: Set<String> = [
    "alarm_active", "device_absent", "device_connected", "device_last_heard_timestamp_seconds",
    "device_rssi_dbm", "listening", "page_clients",
  ]

  private var families: [String: Family] = [:]

  /// The metrics of a model; `clients` follow the stream, and `missed` records were not sent to some of them.
  init(_ model: PageModel, version: String, command: String, clients: Int, missed: Int) {
    add(
      "blectl_build_info", "gauge", "The version of blectl, and its command.", 1,
      [("version", version), ("command", command)])
    for (event, count) in model.records {
      add("blectl_records_total", "counter", "Records, by their event.", Double(count), [("event", event)])
    }
    add(
      "blectl_dropped_records_total", "counter", "Records that were dropped before they came here.",
      Double(model.dropped))
    add("blectl_page_clients", "gauge", "Clients of the stream of records.", Double(clients))
    add(
      "blectl_page_missed_records_total", "counter",
      "Records that clients of the stream missed, because they read too slowly.", Double(missed))
    add("blectl_listening_gaps_total", "counter", "How often nothing could be heard.", Double(model.gaps))
    add("blectl_listening_gap_seconds_total", "counter", "How long nothing could be heard.", model.gapSeconds)
    switch model.listening {
    case .unknown: break
    case .listening: addListening(1)
    case .interrupted: addListening(0)
    }
    add(
      "blectl_page_unlisted_records_total", "counter", "Records of devices for which the page had no room.",
      Double(model.unlisted))
    for device in model.sortedDevices { add(device) }
  }

  private mutating func addListening(_ value: Double) {
    add("blectl_listening", "gauge", "Whether devices can be heard.", value)
  }

  private mutating func add(_ device: PageDevice) {
    let labels = Self.labels(of: device)
    // Names come from the air and change: a label of each value would make a new line of each name.
    add(
      "blectl_device_info", "gauge", "The name of a device, and the company that it names.", 1,
      labels
        + [("name", device.name), ("company", device.company)].compactMap { name, value in
          value.map { (name, $0) }
        })
    addValues(of: device, labels)
    add(
      "blectl_device_packets_total", "counter", "Values and advertisements of a device.",
      Double(device.packets), labels)
    add(
      "blectl_device_last_heard_timestamp_seconds", "gauge", "When a device was last heard.",
      device.lastSeconds, labels)
    add(
      "blectl_device_absent", "gauge", "Whether a device is missed (--absent).",
      device.absentSince == nil ? 0 : 1, labels)
    if let isConnected = device.isConnected {
      add("blectl_device_connected", "gauge", "Whether there is a link.", isConnected ? 1 : 0, labels)
    }
    if device.connections + device.reconnections + device.disconnections > 0 {
      add(
        "blectl_device_disconnects_total", "counter", "How often the link was lost.",
        Double(device.disconnections), labels)
      add(
        "blectl_device_reconnects_total", "counter", "How often the link was opened again.",
        Double(device.reconnections), labels)
      add(
        "blectl_device_link_gap_seconds_total", "counter", "How long the link was down.",
        device.linkGapSeconds, labels)
    }
    for condition in device.alarms.keys.sorted() {
      add(
        "blectl_alarm_active", "gauge", "Alarms that have not been cleared (--when).", 1,
        labels + [("when", condition)])
    }
    for condition in device.cleared.sorted() {
      add(
        "blectl_alarm_active", "gauge", "Alarms that have not been cleared (--when).", 0,
        labels + [("when", condition)])
    }
  }

  /// Adds the last values of a device, unless it is away, or has not been heard since the start.
  private mutating func addValues(of device: PageDevice, _ labels: [(String, String)]) {
    guard !device.isLost, device.absentSince == nil, device.packets > 0 else { return }
    if let rssi = device.rssi {
      add("blectl_device_rssi_dbm", "gauge", "The signal strength.", Double(rssi), labels)
    }
    for (source, reading) in device.readings.sorted(by: { $0.key < $1.key }) {
      for member in reading.decoded?.members ?? [] where member.key != "rssi_dbm" {
        guard let number = member.value.measured else { continue }
        let unit = MetricUnit(field: member.key)
        let name = Self.own.contains(unit.name) ? unit.name + "_value" : unit.name
        add(
          "blectl_\(name)", "gauge",
          "A value that devices report: \(unit.name.replacing("_", with: " ")).", unit.value(of: number),
          labels + [("source", source)])
      }
    }
  }

  private static func labels(of device: PageDevice) -> [(String, String)] {
    var labels = [("address", device.key.address)]
    if let host = device.key.host { labels.append(("host", host)) }
    return labels
  }

  private mutating func add(
    _ name: String, _ type: String, _ help: String, _ value: Double, _ labels: [(String, String)] = []
  ) {
    // Two fields may be one in other units.
    let key = labels.map { "\($0)=\($1)" }.joined(separator: "\u{0}")
    guard families[name, default: Family(help: help, type: type)].known.insert(key).inserted else { return }
    families[name]?.samples.append((labels, value))
  }

  /// The text.
  var bytes: [UInt8] {
    var text = ""
    for (name, family) in families.sorted(by: { $0.key < $1.key }) {
      text += "# HELP \(name) \(family.help)\n# TYPE \(name) \(family.type)\n"
      for (labels, value) in family.samples {
        text += name
        if !labels.isEmpty {
          text += "{" + labels.map { "\($0)=\"\(Self.escaped($1))\"" }.joined(separator: ",") + "}"
        }
        text += " \(value)\n"
      }
    }
    return Array(text.utf8)
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
