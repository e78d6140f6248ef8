// SPDX-License-Identifier: MIT
internal import ArgumentParser

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
