// SPDX-License-Identifier: MIT
package import JSON
internal import TerminalOutput

/// What `doctor` says of one thing that it has looked at.
package struct Finding: Sendable, Hashable {
  package enum Status: String, Sendable {
    case ok
    /// The main job can be done, but something is not as it usually is.
    case warn
    /// The main job cannot be done.
    case fail
  }

  /// What was looked at; a JSON value that scripts may rely on.
  package enum Check: String, Sendable, CaseIterable {
    case user
    case container
    case bus
    case service
    case owner
    case simulator
    case policy
    case version
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
  /// The command that mends it, or a few words where no command does.
  package var fix: String?
  /// The adapter that this is about.
  var adapter: String?
  /// The version of BlueZ.
  var version: String?
  /// Who answers as org.bluez.
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
