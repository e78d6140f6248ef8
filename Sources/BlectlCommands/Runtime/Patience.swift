// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral

/// One time of waiting for what is not there: how long it has lasted, and what was said about it.
final class Patience: Sendable {
  /// Whether it is one of several that wait for the same bus, daemon and adapter, which another one speaks about.
  let isMember: Bool
  private let start = ContinuousClock.now
  private let state = Lock<(failures: Int, notice: String?)>((0, nil))

  init(isMember: Bool = false) { self.isMember = isMember }

  /// How long it has lasted.
  var length: Duration { .now - start }

  /// How many attempts have failed.
  var failures: Int { state.withLock { $0.failures } }

  /// One more attempt has failed.
  func failed() { state.withLock { $0.failures += 1 } }

  /// Says on stderr what is missing before Bluetooth can be used.
  func say(missing subject: String, in session: Session) {
    if !isMember { say(subject, in: session) }
  }

  /// Says on stderr what is waited for, unless that was the last thing said.
  func say(_ subject: String, in session: Session) {
    let isNews = state.withLock { state in
      defer { state.notice = subject }
      return state.notice != subject
    }
    if isNews { session.remark("waiting for \(subject)") }
  }
}

extension CentralState {
  /// What has to come before Bluetooth can be used; nil when nothing is missing.
  func missing(adapter: String?) -> String? {
    switch self {
    case .poweredOn: nil
    case .busUnavailable: "the bus"
    case .serviceUnavailable: "bluetoothd"
    case .unsupported: adapter.map { "the adapter \($0)" } ?? "an adapter"
    case .poweredOff: "the adapter to be switched on"
    case .blocked: "the adapter to be unblocked (rfkill)"
    }
  }
}
