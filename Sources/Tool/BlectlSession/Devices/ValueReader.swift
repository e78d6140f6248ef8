// SPDX-License-Identifier: MIT
package import BLECentral
package import BlectlArguments
package import TerminalOutput
package import ValueStreams

/// Reads values one after the other, and continues when the device refuses one.
package final class ValueReader {
  private let link: DeviceConnection
  private let context: CommandContext
  private let style: ValueStyle
  /// True if an unanswered request blocks all others, or a failed pairing has ended the link.
  private var isLinkBlocked = false

  package init(
    _ link: DeviceConnection, _ context: CommandContext, _ style: ValueStyle = ValueStyle(isJSON: false)
  ) {
    self.link = link
    self.context = context
    self.style = style
  }

  /// Reads a value from a byte on; throws when no more can be read: link lost, no Bluetooth, interrupted.
  package func read(
    _ characteristic: GATTCharacteristic, _ descriptor: GATTDescriptor? = nil, from offset: Int = 0
  ) async throws -> Reading {
    let timeout = context.timeout
    // An unanswered request blocks all others until BlueZ closes the link after 30 s, so the link is
    // replaced, unless other programs use it.
    if isLinkBlocked { try await link.peripheral.renewLink(timeout: timeout) }
    isLinkBlocked = false
    do {
      let bytes = try await context.showingProgress(
        "reading \(descriptor.map { "\($0.uuid)" } ?? characteristic.title)"
      ) {
        try await link.request {
          let peripheral = link.peripheral
          if let descriptor {
            return try await peripheral.readValue(for: descriptor, offset: offset, timeout: timeout)
          }
          return try await peripheral.readValue(for: characteristic, offset: offset, timeout: timeout)
        }
      }
      let value = ReceivedValue(bytes, at: .now)
      let origin = ValueOrigin(
        link.info, characteristic, descriptor, from: offset, via: .read, shownAs: style.view)
      context.observer?.received(ValueBatch([value], of: origin))
      return style.misfit(value, of: origin, link.title).map { .misfit(value, $0) } ?? .value(value)
    } catch let error as BLEError where ValueReader.concernsOneValue(error) {
      var failure = CommandError(error, device: link.title)
      if descriptor == nil, error.attError == .readNotPermitted,
        !characteristic.properties.isDisjoint(with: [.notify, .indicate])
      {
        failure.hint = "blectl subscribe \(link.info.address) \(characteristic.uuid)"
      }
      if offset > 0, error.attError == .attributeNotLong {
        let option = descriptor.map { " --descriptor \($0.uuid)" } ?? ""
        failure.hint =
          "blectl read \(link.info.address) \(characteristic.uuid)\(option), without --offset: "
          + "the device gives out a value this short only whole"
      }
      isLinkBlocked = error.code == .timedOut || ValueReader.isOfFailedPairing(error)
      return .failure(error, failure, at: .now)
    }
  }

  private static func concernsOneValue(_ error: BLEError) -> Bool {
    if isOfFailedPairing(error) { return true }
    return error.code != .disconnected && error.code != .cancelled && ExitStatus(error) != .unavailable
  }

  /// Returns whether the link ended with a pairing that one value required: other values need none.
  private static func isOfFailedPairing(_ error: BLEError) -> Bool {
    error.code == .authenticationFailed
      || error.code == .disconnected && [.pairWithPasskey, .pairToLearnWhy].contains(error.advice)
  }
}

/// The outcome of one attempt to read a value.
package enum Reading {
  case value(ReceivedValue)
  /// A value that does not fit the format in which it should be shown.
  case misfit(ReceivedValue, CommandError)
  /// The error of the library, the one for the user, and when it came.
  case failure(BLEError, CommandError, at: Timestamp)

  /// The error that explains why the value is not shown; nil if it is shown.
  package var problem: CommandError? {
    switch self {
    case .value: nil
    case .misfit(_, let problem), .failure(_, let problem, _): problem
    }
  }

  /// True if the value requires pairing.
  private var isProtected: Bool {
    if case .failure(let error, _, _) = self { error.security != nil } else { false }
  }

  /// True if the link that a value without pairing has stalled was not closed in time.
  private var isOfStalledLink: Bool {
    if case .failure(let error, _, _) = self { error.advice == .tryAgain } else { false }
  }

  private var isMisfit: Bool { if case .misfit = self { true } else { false } }

  /// Throws one error for all problems; its status is 5 if a value timed out.
  package static func requireAll(_ readings: [Reading], of device: String) throws(CommandError) {
    let problems = readings.compactMap(\.problem)
    guard var error = problems.first else { return }
    let verb = readings.contains { $0.isMisfit } ? "print" : "read"
    error.message =
      "cannot \(verb) \(problems.count) of \(counted(readings.count, "value")) of \(device)"
    error.details = []
    // The end of a link on which a value requires pairing is waited for only because of that.
    let isProtected = readings.contains(where: \.isProtected)
    let late = readings.first { $0.problem?.status == .timedOut && !(isProtected && $0.isOfStalledLink) }
    if let late = late?.problem { (error.status, error.hint) = (late.status, late.hint) }
    // The same device is a cause of each.
    error.causes = problems.flatMap(\.causes).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    throw error
  }
}

extension ValueStyle {
  /// The error for a value that does not have the wanted format; nil for one that has.
  package func misfit(_ value: ReceivedValue, of origin: ValueOrigin, _ device: String) -> CommandError? {
    guard let format, let problem = format.problem(with: value.value) else { return nil }
    return CommandError(
      status: .failed,
      message: "cannot show \(origin.ownTitle) of \(device) as \(format.word): \(problem)")
  }
}

extension ConsoleOutputSink {
  /// Prints a value; as text, only if it has the wanted format.
  package func print(
    _ value: ReceivedValue, of origin: ValueOrigin, _ misfit: CommandError?
  ) throws(ConsoleError) {
    if misfit == nil || style.isJSON { try print([.values(ValueBatch([value], of: origin))]) }
  }
}

extension StreamOutputs {
  /// Logs a value; tables have no place for the reason why one cannot be read.
  package func send(_ reading: Reading, of origin: ValueOrigin) {
    switch reading {
    case .value(let value), .misfit(let value, _): send(.values(ValueBatch([value], of: origin)))
    case .failure(let error, _, let time):
      let record = UnreadRecord(time: time, origin: origin, error: error)
      send(.record(LoggedRecord(record, about: .device(origin.address))))
    }
  }
}
