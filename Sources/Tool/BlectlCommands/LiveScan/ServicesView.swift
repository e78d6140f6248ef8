// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession

/// Fetches the services of a device during a live scan, over a link that is released when the user goes back.
///
/// Like `services`, it joins an existing link, and leaves a link open that others opened or use.
final class ServicesView: Sendable {
  enum Outcome: Sendable {
    case connecting(since: ContinuousClock.Instant)
    case found(PeripheralInfo, [GATTService])
    case failed(CommandError)
  }

  private struct State {
    var number = 0
    var outcome: Outcome?
    /// The last visit; the next one waits for its end.
    var work: Task<Void, Never>?
  }

  private let changed: @Sendable () -> Void
  private let state = Lock(State())

  private let loop: EventLoop

  init(on loop: EventLoop, changed: @escaping @Sendable () -> Void) {
    (self.loop, self.changed) = (loop, changed)
  }

  /// Nil without a visit.
  var outcome: Outcome? { state.withLock { $0.outcome } }

  /// Visits a device through the host that hears it; does nothing during a visit of it, unless that failed.
  func begin(_ info: PeripheralInfo, in context: CommandContext) {
    switch outcome {
    case .connecting, .found: return
    case .failed, nil: break
    }
    replace(.connecting(since: .now)) { await self.visit(info, context, $0) }
  }

  /// Goes back; the link is released in the background.
  func leave() { replace(nil) { _ in } }

  /// Goes back, and waits until the link is released.
  func finish() async {
    leave()
    await state.withLock { $0.work }?.value
  }

  private func replace(_ outcome: Outcome?, _ body: @escaping @Sendable (Int) async -> Void) {
    let (previous, _) = state.withLock { state in
      let (previous, former) = (state.work, state.outcome)
      state.number += 1
      state.outcome = outcome
      state.work = Task(executorPreference: loop) { [number = state.number] in
        await previous?.value
        if !Task.isCancelled { await body(number) }
      }
      return (previous, former)
    }
    previous?.cancel()
  }

  private func report(_ outcome: Outcome, of number: Int) {
    state.withLock { if $0.number == number { $0.outcome = outcome } }
    changed()
  }

  private func visit(_ info: PeripheralInfo, _ context: CommandContext, _ number: Int) async {
    var link: DeviceConnection?
    do {
      link = try await DeviceConnection.open(DeviceChoice(.address(info.address)), in: context)
      let services = try await link?.services() ?? []
      report(.found(link?.info ?? info, services), of: number)
      await ServicesView.untilCancelled()
    } catch {
      let device = "\(info.address)"
      let host = context.options.onlyHost
      if let error = ErrorReport.understood(error, device: device, on: host) {
        report(.failed(error), of: number)
      }
    }
    await link?.peripheral.release()
  }

  private static func untilCancelled() async {
    let end = Promise<Void>()
    await end.value(ifCancelled: ())
  }
}
