// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
internal import BlectlArguments
package import ValueStreams

/// Does work with the Bluetooth of a bus, and again after each outage.
package struct BusKeeper {
  /// Nil gives up at the first outage.
  private let reconnector: Reconnector?
  private let context: CommandContext
  /// The host in the records; nil if there is only one.
  private let host: String?
  /// Called when the work begins, is interrupted, and goes on.
  private let record: (ReceptionRecord) -> Void

  package init(
    _ reconnector: Reconnector?, in context: CommandContext, host: String? = nil,
    record: @escaping (ReceptionRecord) -> Void
  ) {
    (self.reconnector, self.context, self.host, self.record) = (reconnector, context, host, record)
  }

  /// Runs `body` until it returns true, the task is cancelled, or Bluetooth is away for good; it calls
  /// ``began(on:_:)``, and sets the moment of an interruption, if it knows it.
  package func run(
    _ body: (CentralManager, inout LinkGap, inout Moment?) async throws -> Bool
  ) async throws {
    var gap = LinkGap()
    var notice = RetryNotice()
    while !Task.isCancelled {
      var end: Moment?
      do {
        let central =
          if let reconnector { try await reconnector.central() } else { try await context.bus.central() }
        if try await body(central, &gap, &end) { return }
      } catch {
        guard let reconnector else { throw error }
        let end = end ?? Moment()
        if gap.begin(at: end) {
          // What is missing now is news.
          notice = RetryNotice()
          record(ReceptionRecord(event: .interrupted, time: end.time, reason: error.reason, host: host))
        }
        try await reconnector.waitToListen(after: error, notice)
      }
    }
  }

  /// Reports that the work began at a moment, and ends the gap before it.
  package func began(on adapter: String?, at now: Moment = Moment(), _ gap: inout LinkGap) {
    let isFirst = gap.isFirst
    let seconds = gap.end(at: now)
    // Nothing was missed by work that began again without an interruption.
    if !isFirst, seconds == nil { return }
    record(
      ReceptionRecord(
        event: isFirst ? .started : .resumed, time: now.time, adapter: adapter, gapSeconds: seconds,
        host: host))
    if let seconds, !context.options.json { context.remark("listening again after \(seconds) s") }
  }
}
