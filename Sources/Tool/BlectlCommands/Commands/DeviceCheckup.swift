// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import Doctor
internal import TerminalOutput

/// The examination of a device by `doctor DEVICE`, which prints each step and the diagnosis.
struct DeviceCheckup {
  let device: DeviceArgument
  let pick: PickRule?

  /// - Throws: ``CommandError`` with the cause, if the device cannot be used.
  func run(in context: CommandContext) async throws {
    let central = try await context.bus.central()
    let locator = DeviceLocator(device, pick: pick, central: central, context: context)
    let output = CheckupOutput(console: context.console, isJSON: context.options.json)
    let examination = DeviceExamination(
      DeviceObservations(device: device.description, address: device.address), by: central,
      within: context.timeout, choose: { try locator.choose(from: $0, isFinal: $1) }, report: output.print)
    let known = try await known(locator)
    let seen = try await context.showingProgress("examining \(device)") {
      try await examination.run(known: known)
    }
    try Task.checkCancellation()
    let diagnosis = DeviceDiagnosis(seen)
    output.print(diagnosis)
    if let failure = output.failure { throw failure }
    if diagnosis.cause != nil {
      throw CommandError(
        status: .failed,
        message: "cannot use \(diagnosis.address.map { "\($0)" } ?? "\(device)"): \(diagnosis.message)",
        hint: diagnosis.fix)
    }
  }

  /// The device among those that BlueZ knows; what keeps BlueZ from saying so is examined.
  private func known(_ locator: DeviceLocator) async throws -> PeripheralInfo? {
    do { return try await locator.known() } catch is BLEError { return nil }
  }
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
