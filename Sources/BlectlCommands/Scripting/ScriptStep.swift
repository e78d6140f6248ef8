// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments
internal import ScriptLanguage

/// A command that only scripts and the shell have.
protocol ScriptStep: ParsableCommand {
  func perform(on device: any ScriptDevice) async throws
}

/// What the steps of a script act on: a device with a link, or the record of one.
protocol ScriptDevice: AnyObject {
  /// Runs a command; a subscription goes on in the background.
  func run(_ command: any DeviceCommand) async throws
  /// The value that a command reads.
  func value(of command: ReadCommand) async throws -> [UInt8]
  func expect(_ step: ExpectStep) async throws
  func sleep(for duration: Duration) async throws
  /// Ends subscriptions; without characteristics, all.
  func unsubscribe(_ characteristics: [CharacteristicArgument]) async throws
  /// Requires that nothing in the background has failed.
  func checkBackground() throws
}

/// A line of a script, parsed by the declaration of its command.
enum ParsedStep {
  case command(any DeviceCommand)
  case step(any ScriptStep)

  func perform(on device: any ScriptDevice) async throws {
    switch self {
    case .command(let command): try await device.run(command)
    case .step(let step): try await step.perform(on: device)
    }
    try device.checkBackground()
  }
}

struct SleepStep: ScriptStep {
  static let configuration = CommandConfiguration(
    commandName: "sleep", abstract: "Wait, while subscriptions go on.", discussion: "sleep 500ms")

  @Argument(help: "How long: 500ms, 10s, 2m.", transform: DurationArgument.init(parsing:))
  var duration: DurationArgument

  func validate() throws {
    if duration.limit == nil { throw ValidationError("the duration must be more than 0.") }
  }

  func perform(on device: any ScriptDevice) async throws {
    if let duration = duration.limit { try await device.sleep(for: duration) }
  }
}

struct UnsubscribeStep: ScriptStep {
  static let configuration = CommandConfiguration(
    commandName: "unsubscribe", abstract: "End subscriptions.", discussion: "unsubscribe 2a37")

  @Argument(
    help: "The characteristics. (default: all)", completion: LiveCompletion.characteristic,
    transform: CharacteristicArgument.init(parsing:))
  var characteristics: [CharacteristicArgument] = []

  func perform(on device: any ScriptDevice) async throws { try await device.unsubscribe(characteristics) }
}
