// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral

/// One period of waiting for something missing, with its length and the last notice about it.
package final class RetryNotice: Sendable {
  /// True if another one prints the notices about the bus, daemon and adapter that several wait for.
  let isMember: Bool
  private let start = LoopClock.now
  private let state = Lock<(failures: Int, notice: String?)>((0, nil))

  package init(isMember: Bool = false) { self.isMember = isMember }

  package var length: Duration { LoopClock.now - start }

  package var failures: Int { state.withLock { $0.failures } }

  package func failed() { state.withLock { $0.failures += 1 } }

  /// Prints on stderr what is missing before Bluetooth can be used.
  package func say(missing subject: String, in context: CommandContext) {
    if !isMember { say(subject, in: context) }
  }

  /// Prints on stderr what it waits for, unless that was the last notice.
  package func say(_ subject: String, in context: CommandContext) {
    let isNews = state.withLock { state in
      defer { state.notice = subject }
      return state.notice != subject
    }
    if isNews { context.remark("waiting for \(subject)") }
  }
}

extension BluetoothState {
  /// Returns the requirement that is missing before Bluetooth can be used; nil if nothing is missing.
  package func missing(adapter: String?) -> String? {
    switch self {
    case .poweredOn: nil
    case .busUnavailable: "the bus"
    case .serviceUnavailable: "bluetoothd"
    case .unsupported: adapter.map { "the adapter \($0)" } ?? "an adapter"
    case .poweredOff: "the adapter to be switched on (blectl adapter on)"
    case .blocked: "the adapter to be unblocked (sudo rfkill unblock bluetooth)"
    }
  }
}

extension BluetoothState {
  /// The reason why nothing can be served for now; nil if something can, or the connection to the bus was lost.
  package var outage: String? {
    switch self {
    case .poweredOn, .busUnavailable: nil
    case .serviceUnavailable: "the Bluetooth service (bluetoothd) has ended"
    case .unsupported: "the adapter has gone"
    case .poweredOff: "the adapter is off"
    case .blocked: "the adapter is blocked (rfkill)"
    }
  }
}
