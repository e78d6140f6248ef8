// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import ValueStreams

/// The kind of entity that a field of values is in Home Assistant.
enum EntityKind: Equatable, Sendable {
  case number(SensorKind)
  /// Yes or no.
  case truth(deviceClass: String?, isDiagnostic: Bool)
  /// One of some words, or several.
  case words
  /// Something that happens, such as a press.
  case event(EventKind)

  /// The platform of Home Assistant.
  var platform: String {
    switch self {
    case .number, .words: "sensor"
    case .truth: "binary_sensor"
    case .event: "event"
    }
  }

  /// Nil for what says nothing over time: names, counters of packets, bytes.
  ///
  /// `known` is what is known of the field; nil if that is nothing.
  init?(of field: DecodedFields.Field, known: KnownField?, isAdvertised: Bool) {
    let plain = KeyWords.withoutNumber(field.key)
    if field.isHidden || Self.silent.contains(plain) || isAdvertised && Self.isOfPacket(plain) { return nil }
    if isAdvertised, let event = EventKind(plain) {
      self = .event(event)
      return
    }
    switch field.value {
    case .integer, .decimal: self = .number(SensorKind(key: field.key, unit: field.unit))
    case .bool: self = .truth(of: plain)
    case .text, .list:
      switch known?.kind {
      case .number where !field.value.isList: self = .number(SensorKind(key: field.key, unit: field.unit))
      case .flag where !field.value.isList: self = .truth(of: plain)
      case _ where field.kind == .number: self = .number(SensorKind(key: field.key, unit: field.unit))
      default:
        guard known?.values.words?.isEmpty == false, field.value.isWords else { return nil }
        self = .words
      }
    case .bytes, .fields: return nil
    }
  }

  private static func isOfPacket(_ key: String) -> Bool {
    ValueAdvertisement.counterKeys.contains(key) || key == "encrypted"
  }

  /// Names and texts, which are not states.
  private static let silent: Set = [
    "decryption", "freshness", "firmware", "id", "mac", "model", "model_id", "product_id", "text", "raw",
    "rest",
  ]

  private static func truth(of key: String) -> EntityKind {
    .truth(deviceClass: truths[key], isDiagnostic: key.hasPrefix("battery") || key == "calibrating")
  }

  /// The device classes of what is yes or no.
  private static let truths: [String: String] = {
    // Those that Home Assistant calls alike.
    let same = """
      battery_charging carbon_monoxide cold door garage_door gas heat light lock moisture motion moving occupancy opening \
      plug power presence running safety smoke sound tamper vibration window
      """
    let others = [
      "battery_low": "battery", "connected": "connectivity", "problem_detected": "problem",
      "leak": "moisture", "splash": "moisture", "tampered": "tamper", "external_power": "plug",
      "in_bed": "occupancy", "occupancy_near": "occupancy", "present": "presence", "open": "opening",
      "left_open": "problem", "calibrating": "running",
    ]
    return Dictionary(same.split(separator: " ").map { (String($0), String($0)) }) { $1 }
      .merging(others) { $1 }
  }()
}

/// The events of a device, in words for automations.
struct EventKind: Equatable, Sendable {
  /// The words; what is none of them is `other`.
  let types: [String]
  /// Nil if Home Assistant has none.
  let deviceClass: String?

  /// Nil for a field that is a state.
  init?(_ key: String) {
    switch key {
    case "button":
      types = [
        "press", "double press", "triple press", "long press", "long double press", "long triple press",
        "hold press", "hold release", Self.other,
      ]
      deviceClass = "button"
    case "dimmer": (types, deviceClass) = (["rotate left", "rotate right", Self.other], nil)
    case "command": (types, deviceClass) = (["off", "on", "toggle", "step up", "step down", Self.other], nil)
    case "gesture":
      types = [
        "shake", "flip 90°", "flip 180°", "rotate", "rotate left", "rotate right", "tap", "nudge", Self.other,
      ]
      deviceClass = nil
    case "visitor":
      types = [
        "stays", "passes by", "rings the bell", "leaves a message", "damages the device", "duress",
        "abnormal unlock", Self.other,
      ]
      deviceClass = "doorbell"
    default: return nil
    }
  }

  private static let other = "other"

  /// The word for a value, and how often it happened; nil if nothing happened.
  func type(of value: DecodedValue) -> (word: String, steps: Int?)? {
    switch value {
    case .integer(0): nil
    case .integer(let steps): (steps < 0 ? "rotate left" : "rotate right", Int(clamping: steps.magnitude))
    case .text("none"): nil
    case .text(let text):
      // A command may have an argument behind it.
      (types.first { text == $0 || text.hasPrefix("\($0) ") } ?? Self.other, nil)
    case .bool, .decimal, .bytes, .list, .fields: nil
    }
  }
}

extension DecodedValue {
  fileprivate var isList: Bool { if case .list = self { true } else { false } }

  fileprivate var isWords: Bool {
    switch self {
    case .text: true
    case .list(let values): values.allSatisfy { if case .text = $0 { true } else { false } }
    case .integer, .decimal, .bool, .bytes, .fields: false
    }
  }
}
