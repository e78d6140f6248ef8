// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral

/// What is done when a link is lost.
struct ReconnectOptions: ParsableArguments {
  @Flag(
    help: "Wait for bluetoothd, the adapter and the device, and open a lost link again, as often as it takes."
  )
  var reconnect = false

  @Option(
    name: .customLong("reconnect-delay"),
    help: ArgumentHelp(
      "The longest pause between two attempts; the first is 500ms, each further one twice as long. (default: 30s)",
      valueName: "duration"), transform: DurationArgument.init(parsing:))
  var delay: DurationArgument?

  @Option(
    name: .customLong("reconnect-limit"),
    help: ArgumentHelp(
      "How long a device may be away before it is given up. (default: no limit)", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var limit: DurationArgument?

  func validate() throws {
    if !reconnect, delay != nil || limit != nil {
      throw ValidationError("--reconnect-delay and --reconnect-limit are for --reconnect.")
    }
  }

  /// What opens links again; nil when that is not wanted.
  func keeper(in session: Session) -> LinkKeeper? {
    guard reconnect else { return nil }
    var policy = ReconnectPolicy()
    if let delay { policy.longestDelay = delay.limit ?? .zero }
    policy.limit = limit?.limit
    return LinkKeeper(policy: policy, session: session)
  }
}
