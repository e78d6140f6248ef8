// SPDX-License-Identifier: MIT
package import BLECentral
internal import BlectlArguments
package import ValueStreams

/// Does work over a link, and again over each link that replaces a lost one.
package struct LinkKeeper {
  /// Nil gives up lost links.
  private let reconnector: Reconnector?
  private let context: CommandContext
  private let progress: MemberProgress?
  /// Is told when a link was lost, and when its work began.
  private let record: (LinkRecord) -> Void

  package init(
    _ reconnector: Reconnector?, in context: CommandContext, _ progress: MemberProgress? = nil,
    record: @escaping (LinkRecord) -> Void
  ) {
    (self.reconnector, self.context, self.record) = (reconnector, context, record)
    self.progress = progress
  }

  /// Runs `body` until it returns, or the link is lost for good; it calls ``began(over:_:decoding:)``, and sets the
  /// moment of the loss, if it knows it.
  package func run(
    over link: DeviceConnection, _ body: (inout LinkGap, inout Moment?) async throws -> Void
  ) async throws {
    var gap = LinkGap()
    var notice = RetryNotice()
    while true {
      var end: Moment?
      do {
        return try await body(&gap, &end)
      } catch {
        let end = end ?? Moment()
        guard let reason = error.reason else { throw error }
        if gap.begin(at: end) {
          notice = RetryNotice()
          report(
            LinkRecord(
              event: .disconnected, time: end.time, address: link.info.lastingAddress, reason: reason,
              linkEnd: (error as? BLEError)?.linkEnd, device: HeardDevice(link.info)), of: link)
        }
        // A characteristic that is missing after a link was reopened may still come with the other services.
        guard let reconnector, Reconnector.isHealable(error) || gap.isHealing && error is CommandError else {
          throw error
        }
        // What is missing over a reopened link is the device's: no wait for a link says it.
        if gap.isFirst || error is CommandError {
          notice.say("\(link.title): \(reason)", in: context)
        }
        progress?.failed(error)
        try await reconnector.pause(in: gap, after: error)
        try await reconnector.reopen(link, after: gap.length)
      }
    }
  }

  /// Reports that the work over a link began, and ends the gap before it; a table needs `columns` for its values.
  package func began(over link: DeviceConnection, _ gap: inout LinkGap, columns: [String] = []) {
    progress?.began()
    let event: LinkRecord.Event = gap.isFirst ? .connected : .reconnected
    let now = Moment()
    report(
      LinkRecord(
        event: event, time: now.time, address: link.info.lastingAddress, gapSeconds: gap.end(at: now),
        columns: columns, device: HeardDevice(link.info)), of: link)
  }

  private func report(_ record: LinkRecord, of link: DeviceConnection) {
    self.record(record)
    guard !context.options.json, reconnector != nil || record.event == .reconnected else { return }
    let why = record.reason.map { ": \($0)" } ?? record.gapSeconds.map { " after \($0) s" } ?? ""
    let address = "\(record.address)"
    let name = link.title == address ? address : "\(link.title) (\(address))"
    context.remark("\(name) \(record.event.rawValue)\(why)")
  }
}
