// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import JSON
internal import ValueStreams

/// Announces numbers to Home Assistant by MQTT discovery: each with a unit becomes a sensor when first seen.
struct HomeAssistant {
  /// The announced messages, by topic.
  private var announced: [String: BrokerMessage] = [:]
  /// The fields that were seen of each characteristic of a device, or of what it advertises, with and without a unit.
  private var seen: [Source: Set<String>] = [:]

  private struct Source: Hashable {
    let address: BluetoothAddress
    /// The characteristic, or the type of advertised data.
    let place: String
  }

  var all: [BrokerMessage] { announced.sorted { $0.key < $1.key }.map(\.value) }

  /// The announcements of new sensors in an event.
  mutating func sensors(in event: StreamEvent, _ format: BrokerRecords) -> [BrokerMessage] {
    switch event {
    case .values(let batch):
      let decoded = batch.decoded
      return batch.values.indices.flatMap { sensors(in: decoded[$0], of: batch.origin, format) }
    case .record(let record):
      guard case .value(let origin, let bytes) = record.subject else { return [] }
      return sensors(in: origin.meaning?.decode(bytes), of: origin, format)
    case .average(let average): return sensors(in: average.decoded, of: average.origin, format)
    case .alarm(let alarm): return new(HomeAssistantState(alarm, format))
    case .absence(let absence): return HomeAssistantState(absence, format).map { new($0) } ?? []
    case .link, .dropped, .reception, .written, .served, .line: return []
    }
  }

  /// The announcement of a state, unless it was made.
  private mutating func new(_ state: HomeAssistantState) -> [BrokerMessage] {
    if announced[state.message.topic] != nil { return [] }
    announced[state.message.topic] = state.message
    return [state.message]
  }

  private mutating func sensors(
    in decoded: DecodedFields?, of origin: ValueOrigin, _ format: BrokerRecords
  ) -> [BrokerMessage] {
    guard let decoded, origin.attribute?.descriptor == nil else { return [] }
    let source = Source(address: origin.address, place: origin.word)
    var messages: [BrokerMessage] = []
    for field in decoded.fields where seen[source, default: []].insert(field.key).inserted {
      guard !field.unit.isEmpty, !field.isHidden else { continue }
      switch field.value {
      case .integer, .decimal: messages.append(announcement(of: field, of: origin, format))
      // This time it is not a number; the next value may have one.
      case .text: seen[source]?.remove(field.key)
      case .bool, .bytes, .list, .fields: break
      }
    }
    for message in messages { announced[message.topic] = message }
    return messages
  }

  private func announcement(
    of field: DecodedFields.Field, of origin: ValueOrigin, _ format: BrokerRecords
  ) -> BrokerMessage {
    let device = HomeAssistantDevice(address: origin.address, name: origin.name)
    let sensor = format.gateway.identifier(
      of: device, HomeAssistant.identifier("\(origin.word)_\(field.key)"))
    let kind = SensorKind(key: field.key, unit: field.unit)
    let title = origin.title
    var json = JSONWriter()
    json.object { json in
      json.field("name", format.gateway.title(field.label.isEmpty ? title : "\(title) \(field.label)"))
      json.field("unique_id", sensor)
      json.field("state_topic", format.topic(of: origin))
      json.field("value_template", "{{ value_json.decoded['\(field.key)'] | is_defined }}")
      json.field("unit_of_measurement", kind.unit)
      json.field("device_class", kind.deviceClass)
      json.field("state_class", kind.stateClass)
      json.field("availability_topic", format.statusTopic)
      device.write(to: &json)
    }
    return .retained("homeassistant/sensor/\(sensor)/config", json.bytes)
  }
}

extension HomeAssistant {
  /// An identifier of a sensor, which Home Assistant allows only these characters; the name of a format of one's own may have
  /// others.
  static func identifier(_ text: String) -> String {
    String(
      text.replacing("-", with: "").map { character in
        character.isASCII && (character.isLetter || character.isNumber) ? character : "_"
      })
  }
}

/// The classes of a number in Home Assistant, each of which allows only certain units.
struct SensorKind: Equatable {
  let unit: String
  /// Nil if Home Assistant has no class for it.
  let deviceClass: String?
  /// Nil if Home Assistant must not average it.
  let stateClass: String?

  /// `key` is that of the decoded value, such as `humidity_percent`; `unit` is a symbol, such as `%`.
  init(key: String, unit: String) {
    self.unit = unit
    let key = SensorKind.measured(key)
    deviceClass = SensorKind.deviceClass(key, unit)
    // An amount of energy is a sum over a period, which the value does not name.
    stateClass = deviceClass == "energy" ? nil : "measurement"
  }

  /// The key of what was measured, of that of the least or greatest of several values.
  private static func measured(_ key: String) -> String {
    let prefix = AverageRecord.Extreme.allCases.map { "\($0.rawValue)_" }.first(where: key.hasPrefix)
    return prefix.map { String(key.dropFirst($0.count)) } ?? key
  }

  private static func deviceClass(_ key: String, _ unit: String) -> String? {
    switch unit {
    // A difference is not converted like a temperature.
    case "°C", "°F", "K": key.hasPrefix("standard_deviation") ? nil : "temperature"
    case "%" where key.hasPrefix("humidity"): "humidity"
    case "%" where key.hasPrefix("battery_level"): "battery"
    case "ppm" where key.hasPrefix("co2"): "carbon_dioxide"
    // Accelerations are in g, too.
    case "g": key.contains("mass") || key.contains("weight") ? "weight" : nil
    case "mg/dL", "mmol/L": key.hasPrefix("glucose") ? "blood_glucose_concentration" : nil
    default: classes[unit]
    }
  }

  /// The classes of the units that mean only one quantity.
  private static let classes = [
    "Pa": "pressure", "hPa": "pressure", "kPa": "pressure", "mbar": "pressure", "bar": "pressure",
    "psi": "pressure", "mmHg": "pressure", "lx": "illuminance", "W/m²": "irradiance",
    "V": "voltage", "mV": "voltage", "µV": "voltage", "A": "current", "mA": "current",
    "W": "power", "mW": "power", "kW": "power", "VA": "apparent_power",
    "Hz": "frequency", "kHz": "frequency", "MHz": "frequency",
    "kWh": "energy", "Wh": "energy", "J": "energy", "kJ": "energy", "kcal": "energy",
    "kg": "weight", "mg": "weight", "lb": "weight",
    "m": "distance", "mm": "distance", "cm": "distance", "km": "distance", "in": "distance", "ft": "distance",
    "m/s": "speed", "km/h": "speed",
    "h": "duration", "min": "duration", "s": "duration", "ms": "duration",
    "dBm": "signal_strength",
  ]
}
