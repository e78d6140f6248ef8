// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
package import BlectlArguments
internal import TerminalOutput
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

  /// The number of names that are remembered for advice.
  private static let mostNames = 256

  /// Returns those that were not heard within a time; nil waits for all.
  ///
  /// Names that were heard and are similar to that of one that was not are reported on stderr.
  package func find(within limit: Duration?) async throws -> [AbsenceRecord] {
    let watch = Lock(AbsenceWatch(limit: Self.always, expecting: expected, from: Moment()))
    let names = Lock<Set<String>>([])
    if let limit {
      let time = CollectingTime(limit, on: context.loop)
      let hasListened = Lock(false)
      time.begin()
      try await time.limit { try await listen(watch, names) { hasListened.exchange(true) } }
      if time.isOver { try Reception.require(hasListened.withLock(\.self)) }
    } else {
      try await listen(watch, names) {}
    }
    let missing = watch.withLock { $0.missing(at: Moment()) }
    for device in expected where missing.contains(where: { $0.address == nil && $0.name == "\(device)" }) {
      let advice = names.withLock { device.advice(among: $0) }
      if !advice.isEmpty { context.console.warn("\(device) was not heard\(advice)") }
    }
    return missing
  }

  private func listen(
    _ watch: Lock<AbsenceWatch>, _ names: Lock<Set<String>>, begin: @escaping @Sendable () -> Void
  ) async throws {
    try await reception.run { record in
      if [.started, .resumed].contains(record.event) { begin() }
    } _: { events in
      watch.withLock { watch in
        for event in events where event.kind != .lost {
          let info = event.info
          if let name = info.name { names.withLock { if $0.count < Self.mostNames { $0.insert(name) } } }
          guard expected.contains(where: { $0.rank(of: info) != nil }) else { continue }
          _ = watch.heard(HeardDevice(info), at: event.time, Moment())
        }
        return !watch.missing(at: Moment()).isEmpty
      }
    }
  }
}
