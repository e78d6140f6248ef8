// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import JSON
internal import ValueStreams

/// The source of values of a device: a characteristic, or a kind of advertised data.
struct HomeAssistantPlace: Hashable {
  /// Its name in identifiers and topics.
  let word: String
  /// Its shortest name for people.
  let sign: String

  init(_ origin: ValueOrigin) {
    let word = HomeAssistantGateway.word(origin.word)
    let handle = origin.attribute.flatMap { $0.hasTwin ? $0.characteristic.handle.fourDigits : nil }
    self.word = handle.map { "\(word)_\($0)" } ?? word
    sign = handle.map { "@\($0)" } ?? origin.word
  }
}

/// A field of values as an entity of Home Assistant.
struct HomeAssistantEntity {
  let place: HomeAssistantPlace
  let key: String
  let kind: EntityKind
  /// The name that a person would choose, unless another one has it.
  let name: String
  /// The name of the place, for people.
  let title: String
  /// The symbol of the unit, which may distinguish two fields.
  let unit: String
  /// The decimals to show; nil leaves that to Home Assistant.
  let precision: Int?

  init(_ field: DecodedFields.Field, _ kind: EntityKind, at place: HomeAssistantPlace, of origin: ValueOrigin)
  {
    (self.place, self.kind, key, unit) = (place, kind, field.key, field.unit)
    title = origin.title
    name = field.key == "value" ? origin.title : KeyWords.name(of: field)
    precision = Self.precision(of: field, kind)
  }

  /// Its name in identifiers, unique in its device.
  var word: String { "\(place.word)_\(HomeAssistantGateway.word(key))" }

  /// The names, each with more words than the one before: as many as are needed are taken.
  var names: [String] {
    let titled = title.lowercased().contains(name.lowercased()) ? title : "\(title) \(name.lowercased())"
    return [name, unit.isEmpty ? name : "\(name) (\(unit))", titled, "\(titled) \(place.sign)"]
  }

  private static func precision(of field: DecodedFields.Field, _ kind: EntityKind) -> Int? {
    guard case .number(let sensor) = kind, sensor.unit != nil else { return nil }
    switch field.value {
    case .integer: return 0
    case .decimal(let number):
      let most = sensor.deviceClass == "temperature" || sensor.deviceClass == "humidity" ? 1 : 3
      return min(max(-number.exponent, 0), most)
    case .text, .bool, .bytes, .list, .fields: return nil
    }
  }

  /// Writes the component of an announcement; `name` is the chosen one.
  func write(
    named name: String, of device: HomeAssistantDevice, _ gateway: HomeAssistantGateway
  ) -> JSONFields {
    JSONFields { json in
      json.field("p", kind.platform)
      json.field("name", gateway.title(name))
      json.field("uniq_id", gateway.identifier(of: device.address, word))
      let states = gateway.stateTopic(of: device.address, place.word)
      switch kind {
      case .event(let event):
        json.field(
          "stat_t", gateway.eventTopic(of: device.address, place.word, HomeAssistantGateway.word(key)))
        json.field("evt_typ", event.types)
        json.field("dev_cla", event.deviceClass)
        return
      case .number(let sensor):
        json.field("unit_of_meas", sensor.unit)
        json.field("dev_cla", sensor.deviceClass)
        json.field("stat_cla", sensor.stateClass)
        json.field("ent_cat", sensor.isDiagnostic ? "diagnostic" : nil)
        json.field("sug_dsp_prc", precision)
      case .truth(let deviceClass, let isDiagnostic):
        json.field("dev_cla", deviceClass)
        json.field("ent_cat", isDiagnostic ? "diagnostic" : nil)
        json.field("pl_on", "True")
        json.field("pl_off", "False")
      case .words: break
      }
      json.field("stat_t", states)
      // What is missing, or null, is unknown.
      json.field("val_tpl", "{{ value_json.decoded.get('\(key.templateText)') }}")
      json.field("json_attr_t", states)
      json.field("json_attr_tpl", "{{ {'time': value_json.time} | tojson }}")
    }
  }
}

extension String {
  /// The text between quotes of a template.
  var templateText: String { replacing("\\", with: "\\\\").replacing("'", with: "\\'") }
}

/// The value of a field, as Home Assistant understands it.
enum HomeAssistantState: Equatable {
  case number(String)
  case truth(Bool)
  case text(String)
  /// A word in the place of a number.
  case unknown

  /// Home Assistant knows no longer states.
  private static let longestText = 255

  init?(_ value: DecodedValue, _ kind: EntityKind?) {
    switch (kind, value) {
    case (.number(let sensor), .integer(let seconds)) where sensor.deviceClass == "timestamp":
      self = .text(Timestamp(seconds: seconds, nanoseconds: 0).utc)
    case (.number, .text), (.truth, .text), (.number, .bool), (.truth, .integer), (.truth, .decimal):
      self = .unknown
    case (_, .integer), (_, .decimal): self = .number(value.text)
    case (_, .bool(let isTrue)): self = .truth(isTrue)
    case (_, .text(let text)): self = .short(text)
    case (.words, .list(let words)):
      self = words.isEmpty ? .text("none") : .short(value.text)
    case (_, .list), (_, .bytes), (_, .fields): return nil
    }
  }

  private static func short(_ text: String) -> HomeAssistantState {
    .text(String(String.UnicodeScalarView(text.unicodeScalars.prefix(longestText))))
  }
}

extension HomeAssistantState: JSONValue {
  func write(to json: inout JSONWriter) {
    switch self {
    case .number(let digits): json.literal(digits)
    case .truth(let isTrue): json.value(isTrue)
    case .text(let text): json.text(text)
    case .unknown: json.literal("null")
    }
  }
}
