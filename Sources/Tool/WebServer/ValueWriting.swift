// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import JSON
internal import WebModel

/// Passes writes on to `blectl`, which has the link, and waits for their ends.
final class ValueWriting: Sendable {
  private struct State {
    var next = 0
    var waiting: [Int: Promise<String?>] = [:]
  }

  private let state = Lock(State())
  private let send: @Sendable ([UInt8]) -> Void

  /// More writes than that do not wait at the same time.
  private static let most = 32

  /// `send` passes a line on to `blectl`.
  init(send: @escaping @Sendable ([UInt8]) -> Void) { self.send = send }

  /// Writes what a request asks for; returns the status and the body of the answer.
  func answer(_ body: [UInt8]) async -> (Int, [UInt8]) {
    guard let node = try? JSONReader.read(body), let address = node["address"]?.string,
      let characteristic = node["characteristic"]?.string, let value = node["value"]?.string
    else { return (400, Self.text("an object with address, characteristic and value is needed")) }
    let end = Promise<String?>()
    let id = state.withLock { state -> Int? in
      guard state.waiting.count < Self.most else { return nil }
      state.next += 1
      state.waiting[state.next] = end
      return state.next
    }
    guard let id else { return (503, Self.text("too many writes are waiting")) }
    send(
      WebMessage.write(WebWrite(id: id, address: address, characteristic: characteristic, value: value)).line)
    if let error = await end.value(ifCancelled: "it is unknown whether the value was written") {
      state.withLock { $0.waiting[id] = nil }
      return (502, Self.text(error))
    }
    return (200, Self.text(nil))
  }

  /// Ends a write, successfully without an error.
  func end(_ id: Int, error: String?) {
    state.withLock { $0.waiting.removeValue(forKey: id) }?.fulfil(error)
  }

  private static func text(_ error: String?) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.field("status", error == nil ? "written" : "failed")
      json.field("error", error)
    }
    json.endRecord()
    return json.bytes
  }
}
