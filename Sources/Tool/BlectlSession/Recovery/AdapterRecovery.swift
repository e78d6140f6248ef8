// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
internal import BlectlArguments
internal import TerminalOutput
package import ValueStreams

/// Brings back an adapter that has stopped working, and says so.
package final class AdapterRecovery: Sendable {
  private struct State {
    var plan = RecoveryPlan()
    /// True if devices were heard at all: a place without devices is not a fault of the adapter.
    var hasHeard = false
    var isBusy = false
    var record: @Sendable (ReceptionRecord) -> Void = { _ in }
  }

  /// The time for which an adapter may hear nothing, or connect to nothing, before something is done.
  package let patience: Duration
  private let context: CommandContext
  private let state = Lock(State())

  package init(after patience: Duration, in context: CommandContext) {
    (self.patience, self.context) = (patience, context)
  }

  /// Sets the destination of its records; call before anything is observed.
  package func report(to record: @escaping @Sendable (ReceptionRecord) -> Void) {
    state.exchange(\.record, record)
  }

  private func record(_ record: ReceptionRecord) { state.withLock { $0.record }(record) }

  private var hasHeard: Bool { state.withLock { $0.hasHeard } }
  private var isBusy: Bool { state.withLock { $0.isBusy } }

  /// Records that something was heard.
  package func heard() {
    state.withLock { $0.hasHeard = true }
    worked()
  }

  private func worked() {
    guard let step = state.withLock({ $0.plan.works() }) else { return }
    record(ReceptionRecord(event: .recovered, step: step.rawValue))
    context.remark("the adapter works again")
  }

  /// Records a link as a sign that the adapter connects.
  package func connected() { heard() }

  /// Takes the next step against an adapter that hears nothing; the caller then scans again.
  package func silent() async throws {
    guard hasHeard else { return }
    try await step(against: .silent(patience))
  }

  /// Finds out whether the adapter is why no link to a device can be opened, and takes the next step if so.
  package func examine(
    _ central: CentralManager, device isWanted: @escaping (PeripheralInfo) -> Bool
  ) async throws {
    guard !isBusy, await central.state == .poweredOn else { return }
    var isHeard = false
    var isWantedHeard = false
    do {
      _ = try await central.hear(ScanFilter(), until: Deadline(after: patience / 4)) { info in
        isHeard = true
        isWantedHeard = isWantedHeard || isWanted(info)
        return isWantedHeard
      }
    } catch {
      // The caller's next attempt reports it.
      return
    }
    if isWantedHeard { return try await step(against: .connectsIgnored) }
    // Others are heard: the device is away.
    if !isHeard, hasHeard { try await step(against: .silent(patience)) }
  }

  private func step(against symptom: RecoveryPlan.Symptom) async throws {
    let next = state.withLock { state -> RecoveryPlan.Step? in
      guard !state.isBusy, let step = state.plan.next(against: symptom, at: LoopClock.now) else { return nil }
      state.isBusy = true
      return step
    }
    guard let step = next else { return }
    defer { state.withLock { $0.isBusy = false } }
    let central = try await context.bus.central()
    guard let adapter = try? await central.currentAdapter() else { return }
    let reason = symptom.reason
    say(step, reason, adapter)
    do {
      switch step {
      case .restartDiscovery: break
      case .powerCycle:
        try await requireNoLinks(of: central, on: adapter)
        try await AdapterReset(central, in: context).powerCycle(adapter)
      case .resetUSB:
        try await requireNoLinks(of: central, on: adapter)
        try await AdapterReset(central, in: context).resetUSB(adapter)
      }
    } catch is CancellationError {
      throw CancellationError()
    } catch let failure as RadioFailure {
      report(failure: failure.reason, of: step, adapter)
    } catch {
      report(failure: error.reason ?? "\(error)", of: step, adapter)
    }
  }

  private func report(failure why: String, of step: RecoveryPlan.Step, _ adapter: Adapter) {
    context.console.warn("cannot \(step.words(adapter.id)): \(why)")
    record(
      ReceptionRecord(
        event: .recovering, adapter: adapter.id, reason: "failed: \(why)", step: step.rawValue))
  }

  /// An adapter with links works, and others may use them.
  private func requireNoLinks(of central: CentralManager, on adapter: Adapter) async throws {
    let linked = try await central.knownPeripherals().filter { $0.isConnected && $0.adapter == adapter.id }
    if let first = linked.first { throw RadioFailure.system("it has a link to \(first.lastingAddress)") }
  }

  private func say(_ step: RecoveryPlan.Step, _ reason: String, _ adapter: Adapter) {
    record(ReceptionRecord(event: .recovering, adapter: adapter.id, reason: reason, step: step.rawValue))
    context.console.warn("\(reason): trying to \(step.words(adapter.id))")
  }
}

extension RecoveryPlan.Symptom {
  fileprivate var reason: String {
    switch self {
    case .silent(let time): "nothing was heard for \(DurationArgument(time)), though devices were before"
    case .connectsIgnored: "the device is heard, and no attempt to connect succeeds"
    }
  }
}

extension RecoveryPlan.Step {
  /// Returns the words for the attempt, as the rest of a sentence.
  fileprivate func words(_ adapter: String) -> String {
    switch self {
    case .restartDiscovery: "start the discovery of \(adapter) again"
    case .powerCycle: "switch \(adapter) off and on"
    case .resetUSB: "reset the USB device of \(adapter)"
    }
  }
}
