// SPDX-License-Identifier: MIT

/// Something that happens to the daemon.
package enum DaemonAction: Sendable, Hashable {
  /// It is killed: `org.bluez` loses its owner.
  case kill
  /// It stops: it closes links and removes every object.
  case stop
  /// It starts again with its stored devices.
  case start
  /// It hangs: it answers nothing and signals nothing.
  case freeze
  /// It resumes after a freeze.
  case thaw
  /// Its bus is killed, and it ends with it, like every program that loses the bus.
  case killBus
  /// Its bus starts again at the same address, and it with the bus.
  case startBus
  /// It answers calls with an error.
  case failCalls(CallFault)
  /// It sends each signal twice, a number of times or always.
  case doubleSignals(times: Int? = nil)

  /// The action that undoes it.
  package var undoing: DaemonAction? {
    switch self {
    case .kill, .stop: .start
    case .start: .kill
    case .freeze: .thaw
    case .thaw: .freeze
    case .killBus: .startBus
    case .startBus: .killBus
    case .failCalls(let fault):
      .failCalls(CallFault(fault.method, fault.error, device: fault.device, times: 0))
    case .doubleSignals: .doubleSignals(times: 0)
    }
  }
}

/// An error with which the daemon answers calls of a method instead of executing them.
package struct CallFault: Sendable, Hashable {
  /// The name of the method, such as `StartDiscovery`.
  package var method: String
  /// The error.
  package var error: BlueZError
  /// The address of the device whose objects are affected; nil is every object.
  package var device: String?
  /// The number of calls; nil is all, 0 ends the fault.
  package var times: Int?

  /// Calls of a method that fail.
  ///
  /// - Parameters:
  ///   - method: the name of the method.
  ///   - error: the error; nil is the one that the daemon returns when it is busy.
  ///   - device: the address of the device whose objects are affected; nil is every object.
  ///   - times: the number of calls; nil is all.
  package init(_ method: String, _ error: BlueZError? = nil, device: String? = nil, times: Int? = nil) {
    self.method = method
    self.error = error ?? (method.hasSuffix("Discovery") ? .busy : .inProgress)
    self.device = device
    self.times = times
  }
}

/// Something that happens to an adapter.
package enum AdapterAction: Sendable, Hashable {
  /// Another program switches it on.
  case switchOn
  /// Another program switches it off.
  case switchOff
  /// It is unplugged.
  case remove
  /// It, or a new one, is plugged in.
  case add
  /// rfkill blocks its radio.
  case block
  /// rfkill unblocks its radio; the adapter stays off.
  case unblock
  /// The daemon ends all passive scans.
  case releaseMonitors
  /// The daemon signals all its properties again although none has changed.
  case repeatProperties

  /// The action that undoes it; nil for a momentary action.
  package var undoing: AdapterAction? {
    switch self {
    case .switchOn: .switchOff
    case .switchOff: .switchOn
    case .remove: .add
    case .add: .remove
    case .block: .unblock
    case .unblock: .block
    case .releaseMonitors, .repeatProperties: nil
    }
  }
}
