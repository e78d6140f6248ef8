// SPDX-License-Identifier: MIT

extension AdvertisedFormats {
  /// The fields that data of a type can have; empty if the type is unknown.
  ///
  /// A format that can have the same field several times numbers them: `temperature_celsius_2`.
  package static func fields(of type: String) -> [KnownField] { byType[type] ?? [] }

  /// Made once, when a condition or a log with types needs it.
  private static let byType: [String: [KnownField]] = Dictionary(
    uniqueKeysWithValues: types.map { ($0, KnownField.merged(list(of: $0))) })

  fileprivate static func fields(
    numbers: String = "", flags: String = "", texts: String = ""
  ) -> [KnownField] {
    func fields(_ words: String, _ kind: FieldKind) -> [KnownField] {
      words.split(separator: " ").map { KnownField(String($0), kind) }
    }
    return fields(numbers, .number) + fields(flags, .flag) + fields(texts, .text)
  }

  private static func list(of type: String) -> [KnownField] {
    switch type {
    case "altbeacon": fields(numbers: "rssi_at_1m_dbm reserved", texts: "id")
    case "apple-continuity": fields(texts: "messages")
    case "atc", "pvvx":
      fields(
        numbers: "temperature_celsius humidity_percent battery_percent battery_mv counter flags",
        flags: "encrypted", texts: "mac")
    case "audio-broadcast", "auracast":
      fields(flags: "encrypted", texts: "broadcast_id quality program language")
    case "bthome", "bthome-encrypted": BTHome.knownFields
    case "eddystone-eid": fields(numbers: "tx_power_dbm", texts: "eid")
    case "eddystone-etlm": fields(texts: "encrypted")
    case "eddystone-tlm": fields(numbers: "battery_mv temperature_celsius advertisements uptime_s")
    case "eddystone-uid": fields(numbers: "tx_power_dbm", texts: "namespace instance")
    case "eddystone-url": fields(numbers: "tx_power_dbm", texts: "url")
    case "exposure-notification": fields(texts: "rolling_proximity_id encrypted_metadata")
    case "fast-pair": fields(texts: "model_id account_data")
    case "govee":
      fields(
        numbers: "temperature_celsius humidity_percent battery_percent pm2_5_ug_per_m3 co2_ppm "
          + (1...6).map { "probe_\($0)_celsius probe_\($0)_alarm_celsius probe_\($0)_low_alarm_celsius" }
          .joined(separator: " "), flags: "remote present moving", texts: "model")
    case "ibeacon": fields(numbers: "major minor rssi_at_1m_dbm", texts: "uuid")
    case "inkbird":
      fields(
        numbers: "temperature_celsius humidity_percent battery_percent co2_ppm "
          + (1...6).map { "probe_\($0)_celsius" }.joined(separator: " "))
    case "mibeacon": MiBeacon.knownFields
    case "microsoft-device": fields(texts: "device")
    case "qingping":
      fields(
        numbers: """
          temperature_celsius humidity_percent battery_percent pressure_hpa illuminance_lux packet_id pm2_5_ug_per_m3 \
          pm10_ug_per_m3 co2_ppm voc_index noise_db
          """, flags: "external_power open left_open motion light", texts: "model mac")
    case "ruuvi":
      fields(
        numbers: """
          temperature_celsius humidity_percent pressure_pa acceleration_x_mg acceleration_y_mg acceleration_z_mg battery_mv \
          tx_power_dbm movements sequence
          """, texts: "mac")
    case "ruuvi-air":
      fields(
        numbers: """
          temperature_celsius humidity_percent pressure_pa pm1_ug_per_m3 pm2_5_ug_per_m3 pm4_ug_per_m3 pm10_ug_per_m3 \
          co2_ppm voc_index nox_index illuminance_lux sequence
          """, flags: "calibrating", texts: "mac")
    case "shelly": fields(texts: "model_id model flags mac")
    case "swift-pair": fields(numbers: "scenario", texts: "display_name")
    case "switchbot":
      fields(
        numbers: """
          temperature_celsius humidity_percent battery_percent co2_ppm presses light_level closed_percent tilt_percent \
          power_w wifi_rssi_dbm
          """,
        flags: "switch_mode on motion open left_open light calibrated moving leak tampered battery_low",
        texts: "model")
    case "thermopro":
      fields(
        numbers: """
          probe temperature_celsius humidity_percent battery_percent center_celsius end_celsius ambient_celsius battery_mv
          """, texts: "model")
    case "victron": VictronRecord.knownFields
    case "xiaomi-scale":
      fields(numbers: "weight_kg weight_lb weight_jin impedance_ohm", flags: "stable removed", texts: "time")
    default: []
    }
  }
}

extension AdvertisedFormats {
  /// Returns whether a name is that of an object whose kind is not known: `object_4c99`, or
  /// `object_4c99_rest`, perhaps numbered.
  package static func isUnknownObject(_ name: String) -> Bool {
    let parts = name.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count > 1, parts[0] == "object", parts[1].utf8.count == 4,
      parts[1].utf8.allSatisfy({ HexDigit.value(of: $0) != nil })
    else { return false }
    return parts.dropFirst(2).allSatisfy { $0 == "rest" || Int($0) != nil }
  }
}

extension AdvertisedFormat {
  /// The values by the names that outputs have for them: each has one of its own, and none with another meaning.
  package var namedFields: DecodedFields {
    fields.withUniqueKeys(besides: DecodedFields.reservedAdvertisedKeys)
  }
}

extension BTHome {
  fileprivate static var knownFields: [KnownField] {
    BTHomeKind.all.map { KnownField($0.kind.key, $0.kind.shape.valueKind, $0.kind.shape.values) } + [
      KnownField(triggeredKey, .flag)
    ]
  }
}

extension BTHomeKind.Shape {
  fileprivate var values: FieldValues {
    switch self {
    case .number(let shape): shape.fieldValues
    case .dimmer: .numbers(or: ["none"]).union(.words([], numbered: ["event"]))
    case .state: .truth
    case .event(let names):
      .words(names.sorted { $0.key < $1.key }.map(\.value), numbered: ["event"])
    case .command, .text, .raw, .version: .any
    }
  }

  fileprivate var valueKind: FieldKind {
    switch self {
    case .number, .dimmer: .number
    case .state: .flag
    case .event, .command, .text, .raw, .version: .text
    }
  }
}

extension MiBeacon {
  fileprivate static var knownFields: [KnownField] {
    let own = [
      KnownField("product_id", .text), KnownField("version", .number), KnownField("counter", .number),
      KnownField("encrypted", .flag),
    ]
    let tables = [
      MiBeaconKind.event, MiBeaconKind.attribute, MiBeaconKind.vendor, MiBeaconKind.product,
      MiBeaconKind.productEvent,
    ]
    let kinds = (UInt16.min...UInt16.max).flatMap { number in tables.compactMap { $0(number) } }
    let listed = kinds.flatMap { kind in
      (kind.event.map { [KnownField($0.key, $0.kind, $0.possibleValues)] } ?? []) + kind.layout.knownFields
    }
    // Some kinds make other fields of those of their layout.
    let made = AdvertisedFormats.fields(
      numbers: "presses duration_s dimmer no_motion_s",
      flags: "motion occupancy occupancy_near pressed in_bed",
      texts: "gesture button")
    let flags = Set(made.filter { $0.kind == .flag }.map(\.key))
    return own + listed.filter { !flags.contains($0.key) } + made
      // The impedance of a scale, by its frequency.
      + [KnownField("impedance_high_ohm", .number), KnownField("impedance_low_ohm", .number)]
  }
}

extension DecodedFields.Field {
  /// Those of a field that always has this value.
  fileprivate var possibleValues: FieldValues {
    if case .text(let word) = value { .words([word]) } else { FieldValues(kind) }
  }
}

extension VictronRecord {
  fileprivate static var knownFields: [KnownField] {
    let own = [
      KnownField("product_id", .text), KnownField("record", .text), KnownField("counter", .number),
      KnownField("encrypted", .flag),
    ]
    let records = (UInt8.min...UInt8.max).compactMap { VictronRecord($0) }
    return own + records.flatMap { $0.fields.flatMap(\.knownFields) }
  }
}

extension VictronField {
  fileprivate var knownFields: [KnownField] {
    switch kind {
    case .number: [KnownField(key, .number, .numbers(or: words.values.sorted()))]
    case .choice(let choice, _): [KnownField(key, choice.valueKind, choice.fieldValues)]
    case .set(let names):
      [KnownField(key, .text, .words(names.compactMap(\.self), numbered: ["bit"]))]
    case .auxiliary: (0...3).compactMap { Self.auxiliary($0) }.flatMap(\.knownFields)
    }
  }
}
