// SPDX-License-Identifier: MIT
package import JSON
internal import TerminalOutput

/// The result of one check of `doctor`.
package struct Finding: Sendable, Hashable {
  package enum Status: String, Sendable {
    case ok
    /// Bluetooth can be used, but something is unusual.
    case warn
    /// Bluetooth cannot be used.
    case fail
  }

  /// The checks; JSON values that scripts may rely on.
  package enum Check: String, Sendable, CaseIterable {
    case user
    case container
    case bus
    case service
    case owner
    case simulator
    case policy
    case version
    case fault
    case adapter
    case rfkill
    case power
    case central
    case peripheral
    case passive
    case pairing
    case cache
  }

  package var status: Status
  package var check: Check
  /// A sentence for people, without a full stop.
  package var message: String
  /// The command that fixes it, or a short description if there is no command.
  package var fix: String?
  var adapter: String?
  var version: String?
  /// The process that owns org.bluez.
  var owner: BusFacts.Owner?

  package init(
    _ status: Status, _ check: Check, _ message: String, fix: String? = nil, adapter: String? = nil
  ) {
    self.status = status
    self.check = check
    self.message = message
    self.fix = fix
    self.adapter = adapter
  }
}

extension Finding: Record {
  package func write(to json: inout JSONWriter) {
    json.field("check", check.rawValue)
    json.field("status", status.rawValue)
    json.field("message", message)
    json.field("fix", fix)
    json.field("adapter", adapter)
    json.field("version", version)
    json.field("uid", owner?.userID.map { Int($0) })
    json.field("pid", owner?.process.map { Int($0) })
    json.field("program", owner?.program)
  }
}
