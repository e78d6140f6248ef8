// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import BLEUpdate
internal import JSON
internal import TerminalOutput
internal import ValueStreams

/// A fact of an answer to `blectl smp`, with its key in JSON.
enum ManagementFact {
  case text(String, String)
  case texts(String, [String])
  case number(String, Int)
  case flag(String, Bool)
  case bytes(String, [UInt8])
  case facts(String, [ManagementFact])
  case value(String, CBORValue)

  private var key: String {
    switch self {
    case .text(let key, _), .texts(let key, _), .number(let key, _), .flag(let key, _), .bytes(let key, _),
      .facts(let key, _), .value(let key, _):
      key
    }
  }

  /// The key as a name for people: `buffer size`.
  var title: String { key.replacing("_", with: " ") }

  var text: String {
    switch self {
    case .text(_, let text): text
    case .texts(_, let texts): texts.joined(separator: " ")
    case .number(_, let number): "\(number)"
    case .flag(_, let flag): flag ? "yes" : "no"
    case .bytes(_, let bytes): Hex.string(bytes)
    case .facts(_, let facts): facts.map { "\($0.title) \($0.text)" }.joined(separator: ", ")
    case .value(_, .text(let text)): text
    case .value(_, let value): ManagementRecord.text(of: value)
    }
  }

  fileprivate func write(to json: inout JSONWriter) {
    switch self {
    case .text(let key, let text): json.field(key, text)
    case .texts(let key, let texts): json.field(key, texts)
    case .number(let key, let number): json.field(key, number)
    case .flag(let key, let flag): json.field(key, flag)
    case .bytes(let key, let bytes): json.field(key, hex: bytes)
    case .value(let key, let value): json.field(key, value)
    case .facts(let key, let facts):
      json.object(key) { json in for fact in facts { fact.write(to: &json) } }
    }
  }

  /// The facts of an image.
  static func of(_ image: SMPImage) -> [ManagementFact] {
    var facts: [ManagementFact] = [.number("image", image.image), .number("slot", image.slot)]
    if let version = image.version { facts.append(.text("version", version)) }
    if let hash = image.hash { facts.append(.bytes("hash", hash)) }
    return facts + [
      .flag("active", image.isActive), .flag("confirmed", image.isConfirmed),
      .flag("pending", image.isPending),
      .flag("permanent", image.isPermanent), .flag("bootable", image.isBootable),
    ]
  }
}

/// An answer to `blectl smp`, as JSON.
struct ManagementRecord: Record {
  /// Nil for an answer to a question.
  let event: String?
  let address: BluetoothAddress
  let facts: [ManagementFact]

  func write(to json: inout JSONWriter) {
    if let event { json.event(event, at: Timestamp.now) }
    json.field("address", address)
    for fact in facts { fact.write(to: &json) }
  }

  /// The value as a line of JSON.
  static func text(of value: CBORValue) -> String {
    var json = JSONWriter()
    json.value(value)
    return String(decoding: json.bytes, as: UTF8.self)
  }
}
