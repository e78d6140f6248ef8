// SPDX-License-Identifier: MIT

/// What can happen to the daemon.
package enum DaemonCommand: Sendable, Hashable {
  /// It dies without a word: `org.bluez` has no owner.
  case kill
  /// It ends in order: links are closed and every object is taken back.
  case stop
  /// It starts again, with what it had stored.
  case start
  /// It hangs: nothing is answered, nothing is told.
  case freeze
  /// It goes on where it hung.
  case thaw
  /// It refuses calls.
  case failCalls(CallFault)
  /// Each of its signals comes twice: so many of them, or all.
  case doubleSignals(times: Int? = nil)

  /// What takes it back.
  var undoing: DaemonCommand? {
    switch self {
    case .kill, .stop: .start
    case .start: .kill
    case .freeze: .thaw
    case .thaw: .freeze
    case .failCalls(let fault):
      .failCalls(CallFault(fault.method, fault.error, device: fault.device, times: 0))
    case .doubleSignals: .doubleSignals(times: 0)
    }
  }
}

/// An error that the daemon answers calls of a method with, instead of doing it.
package struct CallFault: Sendable, Hashable {
  /// The name of the method, such as `StartDiscovery`.
  package var method: String
  /// What is answered.
  package var error: BlueZError
  /// The address of the device whose objects are meant; nil is every object.
  package var device: String?
  /// How many calls; nil is all, 0 is none any more.
  package var times: Int?

  /// Calls of a method that fail.
  ///
  /// - Parameters:
  ///   - method: the name of the method.
  ///   - error: what is answered; nil is what the daemon says when it is busy.
  ///   - device: the address of the device whose objects are meant; nil is every object.
  ///   - times: how many calls; nil is all.
  package init(_ method: String, _ error: BlueZError? = nil, device: String? = nil, times: Int? = nil) {
    self.method = method
    self.error = error ?? (method.hasSuffix("Discovery") ? .busy : .inProgress)
    self.device = device
    self.times = times
  }
}
