// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral

/// What to do when a link is lost.
struct ReconnectOptions: ParsableArguments {
  @Flag(
    help: "Wait for bluetoothd, the adapter and the device, and reopen a lost link as often as needed."
  )
  var reconnect = false

  @Option(
    name: .customLong("reconnect-delay"),
    help: ArgumentHelp(
      "The longest pause between attempts; the first is 500ms, and each pause is twice the last. (default: 30s)",
      valueName: "duration"), transform: DurationArgument.init(parsing:))
  var delay: DurationArgument?

  @Option(
    name: .customLong("reconnect-limit"),
    help: ArgumentHelp(
      "Give up a device after it has been away this long. (default: no limit)", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var limit: DurationArgument?

  func validate() throws {
    if !reconnect, delay != nil || limit != nil {
      throw ValidationError("--reconnect-delay and --reconnect-limit need --reconnect.")
    }
  }

  /// How to reopen links; nil when a lost link is the end.
  var policy: ReconnectPolicy? {
    guard reconnect else { return nil }
    var policy = ReconnectPolicy()
    if let delay { policy.longestDelay = delay.limit ?? .zero }
    policy.limit = limit?.limit
    return policy
  }
}
