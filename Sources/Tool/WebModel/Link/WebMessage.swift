// SPDX-License-Identifier: MIT
package import Histories
internal import JSON

/// A message from `blectl-web` to `blectl`, or an answer to it, as a line of JSON.
package enum WebMessage: Sendable, Equatable {
  /// The page can be opened.
  case listening(port: UInt16)
  /// The page cannot be served.
  case failed(reason: String)
  /// A client wants to write a value.
  case write(WebWrite)
  /// The outcome of a write; no error if the device has confirmed it.
  case written(id: Int, error: String?)
  /// A number over time, from before the command began.
  case past(PastNumbers)
  /// No more of them come.
  case pastEnded

  package var line: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      switch self {
      case .listening(let port):
        json.field("web", "listening")
        json.field("port", Int(port))
      case .failed(let reason):
        json.field("web", "failed")
        json.field("reason", reason)
      case .write(let write):
        json.field("web", "write")
        json.field("id", write.id)
        json.field("address", write.address)
        json.field("characteristic", write.characteristic)
        json.field("value", write.value)
      case .written(let id, let error):
        json.field("web", "written")
        json.field("id", id)
        json.field("error", error)
      case .past(let numbers):
        json.field("web", "past")
        numbers.write(to: &json)
      case .pastEnded: json.field("web", "past_ended")
      }
    }
    json.endRecord()
    return json.bytes
  }

  /// Nil if the line is not a message: a record, for example.
  package init?(line: some Collection<UInt8>) {
    guard line.starts(with: Self.beginning), let node = try? JSONReader.read(line) else { return nil }
    switch node["web"]?.string {
    case "listening":
      guard let port = node["port"]?.integer.flatMap({ UInt16(exactly: $0) }) else { return nil }
      self = .listening(port: port)
    case "failed": self = .failed(reason: node["reason"]?.string ?? "")
    case "write":
      guard let id = node["id"]?.integer, let address = node["address"]?.string,
        let characteristic = node["characteristic"]?.string, let value = node["value"]?.string
      else { return nil }
      self = .write(WebWrite(id: id, address: address, characteristic: characteristic, value: value))
    case "written":
      guard let id = node["id"]?.integer else { return nil }
      self = .written(id: id, error: node["error"]?.string)
    case "past":
      guard let numbers = PastNumbers(node) else { return nil }
      self = .past(numbers)
    case "past_ended": self = .pastEnded
    default: return nil
    }
  }

  /// No record begins like this.
  private static let beginning = Array(#"{"web":"#.utf8)
}

/// A value to write, as it was typed.
package struct WebWrite: Sendable, Equatable {
  package let id: Int
  package let address: String
  package let characteristic: String
  package let value: String

  package init(id: Int, address: String, characteristic: String, value: String) {
    (self.id, self.address) = (id, address)
    (self.characteristic, self.value) = (characteristic, value)
  }
}
