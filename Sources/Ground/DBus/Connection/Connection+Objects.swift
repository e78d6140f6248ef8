// SPDX-License-Identifier: MIT
internal import CDBus

extension Connection {
  // MARK: Exported objects

  package func export(_ objects: LocalObjects) { exports.merge(objects.exports) { $1 } }

  package func withdraw(_ root: String) { exports = exports.filter { $0.value.root != root } }

  func takeCall(_ message: Message) -> Bool {
    if !exports.isEmpty, let export = message.path.flatMap({ exports[$0] }),
      message.sender == export.client, let answer = export.answer(message)
    {
      if case .now(let reply) = answer, message.wantsReply {
        _ = try? send(reply, isSecret: export.isSecret)
      }
      return true
    }
    return methodHandler?(message) ?? false
  }

  func isSecret(_ message: Message) -> Bool {
    guard !exports.isEmpty, message.kind == .methodCall, let path = message.path else { return false }
    return exports[path]?.isSecret ?? false
  }

  /// Answers calls of the Peer interface, which every connection supports; returns false for all others.
  package func answerPeer(_ message: Message) -> Bool {
    guard message.interface == StandardInterface.peer else { return false }
    switch message.member {
    case "Ping":
      if message.wantsReply { _ = try? send(Message(replyTo: message)) }
    case "GetMachineId":
      guard message.wantsReply, let machine = MachineID.text else { return false }
      _ = try? send(Message(replyTo: message) { $0.string(machine) })
    default: return false
    }
    return true
  }

  func refuseCall(_ message: Message) {
    guard message.wantsReply else { return }
    let interface = message.interface.map { " on interface \"\($0)\"" } ?? ""
    let text =
      "Method \"\(message.member ?? "")\" with signature \"\(message.signature)\"\(interface) doesn't exist"
    _ = try? send(Message(errorTo: message, name: ErrorName.unknownMethod, text: text))
  }

  /// Handles calls to all other paths: `handler` runs on the loop, and returns whether it answers.
  ///
  /// All other calls are answered with UnknownMethod, except those of the Peer interface.
  package func handleCalls(_ handler: @escaping @Sendable (Message) -> Bool) { methodHandler = handler }

  // MARK: Names

  /// Requests a well-known name; returns whether we own it now.
  package func requestName(_ name: String) async throws(DBusError) -> Bool {
    let doNotQueue: UInt32 = 4
    let message = Message(
      call: "RequestName", of: BusDriver.interface, at: BusDriver.path, to: BusDriver.name
    ) {
      $0.string(name)
      $0.uint32(doNotQueue)
    }
    let reply = try await call(message, timeout: .seconds(10))
    return reply.values.first == .uint32(1)
  }
}

/// The D-Bus identifier of the machine, which every connection returns for Peer.GetMachineId.
enum MachineID {
  /// 32 hexadecimal digits; nil if the machine has none.
  static var text: String? {
    guard let text = dbus_try_get_local_machine_id(nil) else { return nil }
    defer { dbus_free(text) }
    return String(cString: text)
  }
}
