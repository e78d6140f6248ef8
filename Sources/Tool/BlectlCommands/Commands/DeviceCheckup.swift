// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import Doctor
internal import TerminalOutput
internal import ValueStreams

/// The examination of a device by `doctor DEVICE`, which prints each step and the diagnosis.
struct DeviceCheckup {
  let device: DeviceArgument
  let pick: PickRule?

  /// - Throws: ``CommandError`` with the cause, if the device cannot be used.
  func run(in context: CommandContext) async throws {
    let output = CheckupOutput(console: context.console, isJSON: context.options.json)
    var seen = DeviceObservations(device: device.description, address: device.address) {
      Vocabulary.known.title(ofCharacteristic: $0)
    }
    do {
      seen = try await examine(seen, output, in: context)
    } catch let error as BLEError where error.code != .cancelled {
      // No bus, or one on which nothing answers.
      seen.failure = error
    }
    try Task.checkCancellation()
    let advice = device.advice(among: seen.hearing?.names ?? [])
    let diagnosis = DeviceDiagnosis(seen, advice: advice) {
      CommandError.hint(for: $0, device: device.description)
    }
    output.print(diagnosis)
    if let failure = output.failure { throw failure }
    guard let cause = diagnosis.cause else { return }
    throw CommandError(
      status: cause.isOutage ? .unavailable : .failed,
      message: "cannot use \(diagnosis.address.map(device.title) ?? "\(device)"): \(diagnosis.message)",
      hint: diagnosis.fix)
  }

  private func examine(
    _ observations: DeviceObservations, _ output: CheckupOutput, in context: CommandContext
  ) async throws -> DeviceObservations {
    let central = try await context.bus.central()
    let locator = DeviceLocator(device, pick: pick, central: central, context: context)
    let examination = DeviceExamination(
      observations, by: central, within: context.timeout,
      choose: { try locator.choose(from: $0, isFinal: $1) }, words: .known, report: output.print)
    let known = try await known(locator)
    return try await context.showingProgress("examining \(device)") {
      try await examination.run(known: known)
    }
  }

  /// The device among those that BlueZ knows; what keeps BlueZ from saying so is examined, and of several of a name, those
  /// that are heard count.
  private func known(_ locator: DeviceLocator) async throws -> PeripheralInfo? {
    do {
      return try await locator.known()
    } catch is BLEError {
      return nil
    } catch let error as CommandError where error.status == .notFound {
      return nil
    }
  }
}

extension ValueWords {
  /// The names and meanings that `services --read` shows.
  fileprivate static var known: ValueWords {
    ValueWords(
      name: { Vocabulary.known.name(of: AttributeIdentity($0, of: ProfileSubject($1))) },
      text: { bytes, characteristic, info in
        let meaning = ValueMeaning(of: characteristic, on: ProfileSubject(info), values: [:])
        let isLong = bytes.count > longest
        let digits = Hex.string(isLong ? Array(bytes.prefix(longest)) : bytes) + (isLong ? "…" : "")
        guard let decoded = meaning?.decode(bytes)?.text, !decoded.isEmpty else {
          return isLong ? digits : TerminalValue.text(of: bytes)
        }
        return "\(decoded)  \(digits)"
      })
  }

  /// The number of bytes of a value that are shown as digits.
  private static var longest: Int { 20 }
}

/// Prints the steps of an examination while they happen.
private final class CheckupOutput: Sendable {
  private let console: Console
  private let isJSON: Bool
  private let state = Lock<ConsoleError?>(nil)

  init(console: Console, isJSON: Bool) { (self.console, self.isJSON) = (console, isJSON) }

  /// The error that prevents further output.
  var failure: ConsoleError? { state.withLock { $0 } }

  @Sendable func print(_ stage: DeviceStage) {
    print(stage) {
      DeviceStageText.lines(stage, width: $0, style: $1)
    } fields: {
      [DeviceStageText.fields(stage)]
    }
  }

  func print(_ diagnosis: DeviceDiagnosis) {
    print(diagnosis) {
      DeviceStageText.lines(diagnosis, width: $0, style: $1)
    } fields: {
      DeviceStageText.fields(diagnosis)
    }
  }

  private func print(
    _ record: some Record, lines: (Int?, Style) -> [String], fields: () -> [[String]]
  ) {
    guard failure == nil else { return }
    do throws(ConsoleError) {
      if isJSON {
        try console.write(record)
      } else if console.output.isTerminal {
        try console.write(lines: lines(console.output.size?.columns, console.output.style))
      } else {
        try console.write(lines: fields().map { TabSeparated.line($0) })
      }
    } catch {
      state.exchange(error)
    }
  }
}
