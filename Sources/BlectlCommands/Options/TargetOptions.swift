// SPDX-License-Identifier: MIT
internal import ArgumentParser

/// The device that a command is about.
struct TargetOptions: ParsableArguments {
  @Argument(
    help: "The device: its address, its name, a pattern such as 'MI Band*', or part of the name.",
    completion: LiveCompletion.device, transform: DeviceArgument.init(parsing:))
  var device: DeviceArgument

  @Option(
    help: ArgumentHelp("Which device to take if several match: strongest or first.", valueName: "which"),
    completion: .list(PickRule.allWords), transform: { try PickRule(word: $0, of: "rule") })
  var pick: PickRule?
}
