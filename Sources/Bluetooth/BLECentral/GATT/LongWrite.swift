// SPDX-License-Identifier: MIT
internal import AsyncIO

/// Writes the values of a source to one characteristic.
struct LongWrite<Source: WriteSource>: Sendable {
  private let source: CountedValues<Source>
  private let central: CentralManager
  private let target: AttributeTarget
  private let timeout: Duration?
  private let progress: @Sendable (Int) -> Void
  private let certain = Lock(0)

  /// `timeout` is for each value; `progress` is told how many values certainly arrived.
  init(
    _ source: Source, to target: AttributeTarget, of central: CentralManager, timeout: Duration?,
    progress: @escaping @Sendable (Int) -> Void
  ) {
    self.central = central
    (self.target, self.timeout) = (target, timeout)
    self.source = CountedValues(source)
    self.progress = { [certain] count in
      certain.exchange(count)
      progress(count)
    }
  }

  func run(_ type: WriteType) async throws(BLEError) {
    do {
      if type == .withResponse {
        try await write { (writer) throws(BLEError) in
          try await writer.writeConfirmed(source, progress)
        }
      } else {
        try await runWithoutResponse()
      }
    } catch {
      var error = (error as? BLEError) ?? target.operation.cancelled
      if source.takenCount > 0 { error.mayHaveTakenEffect = true }
      error.uncertainCount = source.takenCount - certain.withLock(\.self)
      throw error
    }
  }

  private func runWithoutResponse() async throws {
    let unconfirmed = UnconfirmedWrites()
    try await central.loop.race(
      {
        try await write { (writer) throws(BLEError) in
          try await writer.send(source, unconfirmed)
        }
      },
      {
        try await write { (writer) throws(BLEError) in
          try await writer.confirm(unconfirmed, progress)
        }
      },
      {
        try await write { (writer) throws(BLEError) in
          try await writer.watchService(behind: unconfirmed)
        }
      })
  }

  private func write(
    _ body: @Sendable (ValueWriter) async throws(BLEError) -> Void
  ) async throws(BLEError) {
    try await central.perform(on: target) { (attribute) throws(BLEError) in
      try await body(
        ValueWriter(attribute: attribute, action: target.operation.action, timeout: timeout))
    }
  }
}

/// The values of a source, and how many BlueZ has taken.
private final class CountedValues<Source: WriteSource>: WriteSource {
  private let source: Source
  private let count = Lock(0)

  init(_ source: Source) { self.source = source }

  var takenCount: Int { count.withLock(\.self) }

  func next(_ most: Int) -> [[UInt8]]? { source.next(most) }

  func waitForNext() async { await source.waitForNext() }

  func taken(_ count: Int) {
    self.count.withLock { $0 += count }
    source.taken(count)
  }
}
