// SPDX-License-Identifier: MIT
internal import AsyncIO

/// Writes the values of a source to one characteristic.
struct LongWrite<Source: WriteSource>: Sendable {
  private let source: Source
  private let target: AttributeTarget
  private let timeout: Duration?
  private let progress: @Sendable (Int) -> Void

  /// `timeout` is for each value; `progress` is told how many values certainly arrived.
  init(
    _ source: Source, to target: AttributeTarget, timeout: Duration?,
    progress: @escaping @Sendable (Int) -> Void
  ) {
    (self.source, self.target, self.timeout, self.progress) = (source, target, timeout, progress)
  }

  func run(_ type: WriteType, in central: CentralManager) async throws(BLEError) {
    if type == .withResponse {
      return try await write(in: central) { (writer, central) throws(BLEError) in
        try await writer.writeConfirmed(source, progress, in: central)
      }
    }
    let unconfirmed = UnconfirmedWrites()
    do {
      try await central.loop.race(
        {
          try await write(in: central) { (writer, central) throws(BLEError) in
            try await writer.send(source, unconfirmed, in: central)
          }
        },
        {
          try await write(in: central) { (writer, central) throws(BLEError) in
            try await writer.confirm(unconfirmed, progress, in: central)
          }
        })
    } catch {
      var error = (error as? BLEError) ?? target.operation.cancelled
      if unconfirmed.hasSent { error.mayHaveTakenEffect = true }
      throw error
    }
  }

  private func write(
    in central: CentralManager,
    _ body: @Sendable (ValueWriter, isolated CentralManager) async throws(BLEError) -> Void
  ) async throws(BLEError) {
    try await central.perform(on: target) { (attribute, central) throws(BLEError) in
      try await body(
        ValueWriter(attribute: attribute, action: target.operation.action, timeout: timeout), central)
    }
  }
}
