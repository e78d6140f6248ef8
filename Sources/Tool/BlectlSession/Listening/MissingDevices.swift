// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
package import BlectlArguments
package import ValueStreams

/// Listens for devices that should be there, until all were heard, and finds those that were not.
package struct MissingDevices: Sendable {
  private let expected: [DeviceArgument]
  private let reception: Reception
  private let context: CommandContext

  /// Longer than any command listens: only who was never heard is of interest.
  private static let always = Duration.seconds(Int32.max)

  package init(of expected: [DeviceArgument], over reception: Reception, context: CommandContext) {
    (self.expected, self.reception, self.context) = (expected, reception, context)
  }

  /// Returns those that were not heard within a time, which begins when listening does; nil waits for all.
  package func find(within limit: Duration?) async throws -> [AbsenceRecord] {
    let watch = Lock(AbsenceWatch(limit: Self.always, expecting: expected, from: Moment()))
    if let limit {
      let time = CollectingTime(limit, on: context.loop)
      try await time.limit { try await listen(watch) { time.begin() } }
    } else {
      try await listen(watch) {}
    }
    return watch.withLock { $0.missing(at: Moment()) }
  }

  private func listen(_ watch: Lock<AbsenceWatch>, begin: @escaping @Sendable () -> Void) async throws {
    try await reception.run { _ in
      begin()
    } _: { events in
      watch.withLock { watch in
        for event in events where event.kind != .lost {
          let info = event.info
          guard expected.contains(where: { $0.rank(of: info) != nil }) else { continue }
          _ = watch.heard(HeardDevice(info), at: event.time, Moment())
        }
        return !watch.missing(at: Moment()).isEmpty
      }
    }
  }
}
