// SPDX-License-Identifier: MIT
internal import JSON
internal import ValueStreams

/// The topic of a command, `TOPIC/ADDRESS/CHAR/set` or `…/get`.
struct CommandTopic: Sendable, Hashable {
  enum Verb: String, CaseIterable, Sendable {
    case get
    case set
  }

  /// `TOPIC/ADDRESS/CHAR`.
  private let place: String
  let address: String
  let characteristic: String
  let verb: Verb

  /// Nil if it is not the topic of a command; `prefix` is the TOPIC of the log.
  init?(_ text: String, under prefix: String) {
    guard text.hasPrefix(prefix + "/") else { return nil }
    let parts = text.dropFirst(prefix.count + 1).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, let verb = Verb(rawValue: String(parts[2])) else { return nil }
    (address, characteristic, self.verb) = (String(parts[0]), String(parts[1]), verb)
    place = "\(prefix)/\(address)/\(characteristic)"
  }

  /// The topic to which its answers are published.
  var result: String { "\(place)/result" }

  /// Returns the topic filters to subscribe to.
  static func filters(under prefix: String) -> [String] {
    Verb.allCases.map { "\(prefix)/+/+/\($0.rawValue)" }
  }
}

/// The payload of a command: a value as on the command line, or `{"id": …, "value": …}`.
struct CommandPayload: Sendable, Hashable {
  /// The client's identifier for the command, so that repeating the command does not carry it out again.
  let id: String?
  /// Nil is none.
  let value: String?

  /// The fault of a payload that is not a command.
  struct Fault: Error, Hashable {
    let reason: String
    /// Nil if it has none that is known.
    var id: String?
  }

  private static let longestIdentifier = 200

  init(_ bytes: [UInt8]) throws(Fault) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Fault(reason: "the payload is not text in UTF-8")
    }
    guard text.first(where: { !$0.isWhitespace }) == "{" else {
      // Programs that send lines leave the end of the line.
      let line = text.hasSuffix("\n") ? String(text.dropLast()) : text
      (id, value) = (nil, line.isEmpty ? nil : line)
      return
    }
    let node: JSONNode
    do throws(JSONError) {
      node = try JSONReader.read(bytes)
    } catch {
      throw Fault(reason: "the payload is not valid JSON: \(error)")
    }
    if let identifier = node["id"] {
      guard let text = identifier.string, !text.isEmpty, text.utf8.count <= Self.longestIdentifier else {
        throw Fault(reason: "the id is no text of 1 to \(Self.longestIdentifier) bytes")
      }
      id = text
    } else {
      id = nil
    }
    if let value = node["value"] {
      guard let text = value.string else {
        throw Fault(reason: "the value is no text, such as \"u8:1\"", id: id)
      }
      self.value = text
    } else {
      value = nil
    }
  }

  /// Returns the request that the payload makes at a topic.
  func request(at topic: CommandTopic) throws(Fault) -> RemoteRequest {
    let action: RemoteRequest.Action
    switch (topic.verb, value) {
    case (.set, let value?): action = .write(value)
    case (.get, nil): action = .read
    case (.set, nil): throw Fault(reason: "the payload has no value", id: id)
    case (.get, _?): throw Fault(reason: #"the payload of get is empty, or {"id": "…"}"#, id: id)
    }
    return RemoteRequest(action, topic.characteristic, of: topic.address)
  }
}

extension BrokerMessage {
  /// An answer to a command.
  static func answer(_ outcome: RemoteOutcome, id: String?, at topic: CommandTopic) -> BrokerMessage {
    var json = JSONWriter()
    json.object { json in
      json.field("id", id)
      outcome.write(to: &json)
    }
    return BrokerMessage(topic: topic.result, payload: json.bytes[...])
  }
}
