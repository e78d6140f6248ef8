// SPDX-License-Identifier: MIT
internal import JSON

/// Something that happens to the daemon.
package typealias DaemonAction = ScopedCommand<DaemonScope>

package enum DaemonScope {
  static let commands: [any Command.Type] = [
    KillDaemon.self, StopDaemon.self, StartDaemon.self, FreezeDaemon.self, ThawDaemon.self, KillBus.self,
    StartBus.self, FailCall.self, DoubleSignals.self,
  ]
}

/// The effects of commands on the daemon, its bus, and its adapters, which they name.
package protocol DaemonTarget: Actor {
  /// Kills it: `org.bluez` loses its owner.
  func killDaemon()
  func stopDaemon()
  func restartDaemon() async throws(ControlError)
  func freeze()
  func thaw()
  func killBus() async throws(ControlError)
  /// Starts the bus at the same address, and the daemon with it.
  func restartBus() async throws(ControlError)
  func failCalls(_ fault: CallFault)
  /// Sends each signal twice; nil for always.
  func doubleSignals(_ times: Int?)

  func setPowered(_ isOn: Bool, adapter: String)
  /// Blocks the radio of an adapter as rfkill does, or unblocks it, which does not switch it on.
  func setBlocked(_ isBlocked: Bool, adapter: String)
  func removeAdapter(_ name: String)
  /// Plugs an adapter in: in its old state, or as a new one.
  func plugInAdapter(_ name: String)
  func releaseMonitors(adapter: String)
  /// Makes an adapter hear nothing, until something heals it; nil heals it.
  func silence(adapter: String, until cure: AdapterCure?)
  /// Makes the attempts of an adapter to connect hang, until something heals it; nil heals it.
  func ignoreConnects(adapter: String, until cure: AdapterCure?)
  /// Makes the daemon signal all properties of an adapter again.
  func repeatProperties(ofAdapter name: String)
}

protocol DaemonCommand: Command {
  func apply(to target: isolated any DaemonTarget) async throws(ControlError)
}

extension DaemonAction {
  package func apply(to target: isolated any DaemonTarget) async throws(ControlError) {
    try await (command as? any DaemonCommand)?.apply(to: target)
  }

  /// The device to whose objects it is limited.
  package var device: String? { (command as? FailCall)?.device }
}

private struct KillDaemon: DaemonCommand {
  static let word = "kill-daemon"
  static let about = "The daemon is killed, until \"for\" is over or start-daemon."
  var undoing: (any Command)? { StartDaemon() }
  func apply(to target: isolated any DaemonTarget) async throws(ControlError) { target.killDaemon() }
}

private struct StopDaemon: DaemonCommand {
  static let word = "stop-daemon"
  static let about = "The daemon stops and removes every object, until \"for\" is over or start-daemon."
  var undoing: (any Command)? { StartDaemon() }
  func apply(to target: isolated any DaemonTarget) async throws(ControlError) { target.stopDaemon() }
}

private struct StartDaemon: DaemonCommand {
  static let word = "start-daemon"
  static let about = "The daemon starts again with its stored devices."
  var undoing: (any Command)? { KillDaemon() }
  func apply(to target: isolated any DaemonTarget) async throws(ControlError) {
    try await target.restartDaemon()
  }
}

private struct FreezeDaemon: DaemonCommand {
  static let word = "freeze-daemon"
  static let about = "The daemon hangs: it answers nothing and signals nothing."
  var undoing: (any Command)? { ThawDaemon() }
  func apply(to target: isolated any DaemonTarget) async throws(ControlError) { target.freeze() }
}

private struct ThawDaemon: DaemonCommand {
  static let word = "thaw-daemon"
  static let about = "The daemon resumes after a freeze."
  var undoing: (any Command)? { FreezeDaemon() }
  func apply(to target: isolated any DaemonTarget) async throws(ControlError) { target.thaw() }
}

private struct KillBus: DaemonCommand {
  static let word = "kill-bus"
  static let about = "The bus is killed, and the daemon ends with it, until \"for\" is over or start-bus."
  var undoing: (any Command)? { StartBus() }
  func apply(to target: isolated any DaemonTarget) async throws(ControlError) { try await target.killBus() }
}

private struct StartBus: DaemonCommand {
  static let word = "start-bus"
  static let about = "The bus starts again at the same address, and the daemon with it."
  var undoing: (any Command)? { KillBus() }
  func apply(to target: isolated any DaemonTarget) async throws(ControlError) {
    try await target.restartBus()
  }
}

private struct FailCall: DaemonCommand {
  static let word = "fail-call"
  static let about =
    "The daemon answers calls of a method with an error. Default: InProgress, as when it is busy."
  static let keys: [Field<Self>] = [
    .required("method", \.method, .methodName, "The name of the method."),
    Field(
      "device", \.device, .address,
      "Only calls to the objects of the device with this address. Default: all objects."),
    .error(\.failure.name), .text(\.failure.text), .times(\.times),
  ]
  var method = ""
  var device: String?
  var failure = ErrorKeys()
  var times: Int?
  var undoing: (any Command)? { FailCall(method: method, device: device, failure: failure, times: 0) }
  func apply(to target: isolated any DaemonTarget) async throws(ControlError) {
    target.failCalls(CallFault(method, failure.error, device: device, times: times))
  }
}

private struct DoubleSignals: DaemonCommand {
  static let word = "double-signals"
  static let about = "The daemon sends each signal twice."
  static let keys: [Field<Self>] = [.times(\.times)]
  var times: Int?
  var undoing: (any Command)? { DoubleSignals(times: 0) }
  func apply(to target: isolated any DaemonTarget) async throws(ControlError) { target.doubleSignals(times) }
}

extension DaemonAction {
  package static var kill: Self { Self(KillDaemon()) }
  package static var stop: Self { Self(StopDaemon()) }
  package static var start: Self { Self(StartDaemon()) }
  package static var freeze: Self { Self(FreezeDaemon()) }
  package static var thaw: Self { Self(ThawDaemon()) }
  package static var killBus: Self { Self(KillBus()) }
  package static var startBus: Self { Self(StartBus()) }
  package static func failCalls(_ fault: CallFault) -> Self {
    Self(
      FailCall(
        method: fault.method, device: fault.device, failure: ErrorKeys(fault.error), times: fault.times))
  }
  /// Makes it send each signal twice; nil for always.
  package static func doubleSignals(times: Int? = nil) -> Self { Self(DoubleSignals(times: times)) }
}
