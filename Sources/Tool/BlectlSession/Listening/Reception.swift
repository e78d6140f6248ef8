// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
internal import BlectlArguments
package import ValueStreams

/// Hears what devices advertise; with a reconnector for ever, whatever happens to the bus, bluetoothd and the adapter.
package struct Reception: Sendable {
  private let filter: ScanFilter
  private let mode: ScanMode
  private let reportsDuplicates: Bool
  /// Nil gives up when the scan ends.
  private let reconnector: Reconnector?
  /// Nil only starts a silent scan again.
  private let recovery: AdapterRecovery?
  private let context: CommandContext
  /// The host that listens; nil if there is only one.
  package let host: String?

  /// A scan that hears nothing for this time is restarted: some adapters go silent.
  private static let quietTime = Duration.seconds(60)

  package init(
    _ filter: ScanFilter, mode: ScanMode, reportsDuplicates: Bool, reconnector: Reconnector?,
    recovery: AdapterRecovery? = nil, context: CommandContext, host: String? = nil
  ) {
    (self.filter, self.mode, self.reportsDuplicates) = (filter, mode, reportsDuplicates)
    (self.reconnector, self.recovery, self.context, self.host) = (reconnector, recovery, context, host)
  }

  /// True if outages are waited for.
  package var isPersistent: Bool { reconnector != nil }

  /// Opens the bus early, since ssh may ask for a password; throws if that fails for good.
  package func open() async throws {
    do {
      _ = try await context.bus.central()
    } catch {
      guard isPersistent, Reconnector.isWorthWaiting(error) else { throw error }
    }
  }

  /// - Throws: ``CommandError`` if the time was over before listening began.
  static func require(_ hasListened: Bool) throws(CommandError) {
    if hasListened { return }
    throw CommandError(
      status: .unavailable,
      message: "cannot listen: Bluetooth was not available before the end of --duration",
      hint: "blectl doctor")
  }

  /// Scans until `take` returns false for a batch of events, the task is cancelled, or the scan cannot go on; `record` is told
  /// when listening began, was interrupted, and goes on, and without a recovery, when nothing is heard any more.
  package func run(
    record: @escaping @Sendable (ReceptionRecord) -> Void, _ take: ([ScanEvent]) async throws -> Bool
  ) async throws {
    recovery?.report(to: record)
    let keeper = BusKeeper(reconnector, in: context, host: host, record: record)
    var watch = SilenceWatch()
    try await keeper.run { central, gap, end in
      let scan = central.scan(filter, mode: mode, reportsDuplicates: reportsDuplicates)
      defer { end = scan.end }
      var events = scan.makeAsyncIterator()
      var isListening = false
      var limit: ContinuousClock.Instant? = LoopClock.now  // at first, only until it begins
      while let batch = try await events.nextBatch(until: limit) {
        if !isListening {
          isListening = true
          // Not after what was heard first.
          let now = Moment()
          let first = batch.elements.first.map { min($0.time, now.time) } ?? now.time
          if gap.isHealing { watch.resume(at: now.instant) }
          keeper.began(
            on: try? await central.currentAdapter().id, at: Moment(time: first, instant: now.instant), &gap)
        } else if batch.elements.isEmpty {
          if let time = watch.silence(at: LoopClock.now) { report(silence: time, record) }
          if isPersistent {
            try await recovery?.silent()
            return false
          }
        }
        // BlueZ loses devices that are not heard.
        if batch.elements.contains(where: { $0.kind != .lost }) {
          recovery?.heard()
          if watch.heard(at: LoopClock.now), recovery == nil {
            record(ReceptionRecord(event: .heard, host: host))
          }
        }
        if !batch.elements.isEmpty, try await !take(batch.elements) { return true }
        limit = LoopClock.now + (recovery?.patience ?? Reception.quietTime)
      }
      return true
    }
  }

  /// Says that nothing is heard any more; a recovery does that itself.
  private func report(silence time: Duration, _ record: (ReceptionRecord) -> Void) {
    if recovery != nil { return }
    let length = DurationArgument(.seconds(time.components.seconds))
    let reason = "nothing was heard for \(length), though devices were before"
    record(ReceptionRecord(event: .silent, reason: reason, host: host))
    if !context.options.json { context.remark(reason) }
  }
}
