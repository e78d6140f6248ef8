// SPDX-License-Identifier: MIT
package import ValueLogs

/// The place and the format of a log.
package struct LogArgument: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// The records of `--json`, a line each.
    case ndjson
    /// A table for spreadsheets.
    case csv
    case sqlite
    /// The line protocol of InfluxDB.
    case influx
    /// The records of `--json`, a message each.
    case broker(BrokerAddress)

    /// True if the format takes every record, not only those of values and links.
    package var takesAllRecords: Bool {
      switch self {
      case .ndjson, .broker: true
      case .csv, .sqlite, .influx: false
      }
    }
  }

  private static let endings: [(String, Kind)] = [
    ("ndjson", .ndjson), ("jsonl", .ndjson), ("csv", .csv), ("sqlite", .sqlite), ("sqlite3", .sqlite),
    ("db", .sqlite),
  ]
  private static let influxPrefix = "influx:"

  /// The path of a file, or the URL of a broker.
  package let path: String
  package let kind: Kind

  /// - Parameter text: a path that ends in `.ndjson`, `.jsonl`, `.csv`, `.sqlite` or `.db`; `influx:FILE`; or
  ///   the URL of a broker.
  /// - Throws: for any other.
  package init(parsing text: String) throws(ArgumentError) {
    if let broker = try BrokerAddress(parsing: text) {
      (path, kind) = (text, .broker(broker))
      return
    }
    if text.hasPrefix(LogArgument.influxPrefix), text.utf8.count > LogArgument.influxPrefix.utf8.count {
      (path, kind) = (String(text.dropFirst(LogArgument.influxPrefix.count)), .influx)
      return
    }
    if ["mqtt:", "mqtts:"].contains(where: { text.lowercased().hasPrefix($0) }) {
      throw ArgumentError(text, "is not the URL of a broker; write mqtt://HOST/TOPIC")
    }
    let name = text.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let ending = parts.count > 1 ? parts[parts.count - 1].lowercased() : ""
    guard let kind = LogArgument.endings.first(where: { $0.0 == ending })?.1 else {
      throw ArgumentError(
        text,
        "does not end in .ndjson, .jsonl, .csv, .sqlite or .db, and is no influx:FILE or mqtt://HOST/TOPIC")
    }
    (path, self.kind) = (text, kind)
  }

  /// True if the command prints it.
  package var isOutput: Bool { kind == .influx && path == "-" }

  package var isFile: Bool { if case .broker = kind { false } else { !isOutput } }
}

extension BrokerAddress {
  /// The schemes without and with encryption.
  private static let schemes = [("mqtt://", false), ("mqtts://", true)]
  /// The longest topic of MQTT is 65535 bytes; an address and a UUID follow.
  private static let longestTopic = 65_000

  /// Parses `mqtt://[USER@]HOST[:PORT]/TOPIC`; nil for other schemes; errors never repeat a password.
  package init?(parsing text: String) throws(ArgumentError) {
    guard
      let (scheme, isEncrypted) = BrokerAddress.schemes.first(where: { text.lowercased().hasPrefix($0.0) })
    else { return nil }
    let rest = text.dropFirst(scheme.count)
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    let authority = rest[..<slash].split(separator: "@", omittingEmptySubsequences: false)
    let login = authority.dropLast().joined(separator: "@")
    let place = authority.last ?? ""
    let shown = login.contains(":") ? "\(scheme)…@\(place)\(rest[slash...])" : text
    func refuse(_ reason: String) -> ArgumentError { ArgumentError(shown, reason) }
    if login.contains(":") {
      throw refuse(
        "has a password, which other users can see; put it into BLECTL_MQTT_PASSWORD or a file that "
          + "BLECTL_MQTT_PASSWORD_FILE names")
    }
    guard let user = BrokerAddress.decoded(login),
      let topic = BrokerAddress.decoded(rest[slash...].dropFirst())
    else { throw refuse("has a '%' without two hexadecimal digits, or bytes that are no UTF-8") }
    if authority.count > 1, user.isEmpty { throw refuse("has no user before '@'") }
    let (host, port) = try BrokerAddress.parts(of: place, refuse)
    let trimmed = topic.hasSuffix("/") ? String(topic.dropLast()) : topic
    if let problem = BrokerAddress.problem(of: trimmed) { throw refuse(problem) }
    self.init(
      host: host, port: port, user: user.isEmpty ? nil : user, isEncrypted: isEncrypted, topic: trimmed)
  }

  private static func parts(
    of place: Substring, _ refuse: (String) -> ArgumentError
  ) throws(ArgumentError) -> (host: String, port: UInt16?) {
    var (name, digits): (Substring, Substring?) = (place, nil)
    // An IPv6 address contains colons and stands in brackets.
    if place.hasPrefix("["), let end = place.firstIndex(of: "]") {
      name = place[place.index(after: place.startIndex)..<end]
      let rest = place[place.index(after: end)...]
      guard rest.isEmpty || rest.hasPrefix(":") else { throw refuse("is not the URL of a broker") }
      digits = rest.isEmpty ? nil : rest.dropFirst()
    } else if let colon = place.firstIndex(of: ":") {
      (name, digits) = (place[..<colon], place[place.index(after: colon)...])
    }
    let port = digits.flatMap { UInt16($0) }
    if let digits, port == nil || port == 0 { throw refuse("has no port '\(digits)'") }
    guard !name.isEmpty else { throw refuse("names no host; write mqtt://HOST/TOPIC") }
    guard name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "._-:%".contains($0)) }) else {
      throw refuse("has a host with characters that are not letters, digits, '.', '-' or '_'")
    }
    return (String(name), port)
  }

  private static func problem(of topic: String) -> String? {
    if topic.isEmpty { return "names no topic; write mqtt://HOST/TOPIC" }
    if topic.unicodeScalars.contains(where: { $0 == "+" || $0 == "#" }) {
      return "has a wildcard in its topic: '+' or '#'"
    }
    if topic.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
      return "has a control character in its topic"
    }
    if topic.hasPrefix("$") { return "has a topic that is reserved for brokers: it begins with '$'" }
    return topic.utf8.count > longestTopic ? "has a topic of more than \(longestTopic) bytes" : nil
  }

  /// Decodes `%2F` and the like; nil if the result is not text.
  private static func decoded(_ text: some StringProtocol) -> String? {
    var bytes: [UInt8] = []
    var rest = Substring(text).utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let digits = String(rest.prefix(2)), digits.utf8.count == 2, digits.first != "+",
        let decoded = UInt8(digits, radix: 16)
      else { return nil }
      bytes.append(decoded)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

extension LogRotation {
  /// - Parameter text: a SIZE such as `100M`, or a DURATION such as `24h`, with its unit.
  /// - Throws: for anything else, and for less than a second.
  package init(parsing text: String) throws(ArgumentError) {
    if let last = text.last, !last.isNumber {
      if let size = try? SizeArgument(parsing: text) {
        self = .size(size.bytes)
        return
      }
      if let seconds = (try? DurationArgument(parsing: text))?.limit?.components.seconds, seconds > 0 {
        self = .period(seconds: Int(seconds))
        return
      }
    }
    throw ArgumentError(text, "is neither a size nor a duration; use 100M or 24h")
  }
}
