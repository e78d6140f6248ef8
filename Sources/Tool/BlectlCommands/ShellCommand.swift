// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BlectlArguments
internal import BlectlScripting
internal import BlectlSession

struct ShellCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "shell", _superCommandName: Blectl.name,
    abstract: "Type many steps over one connection.",
    discussion: """
      echo 'read 2a19' | blectl shell 'Heart Strap' --simulate
      printf 'use Heart\\nexpect 2a37 heart_rate_bpm > 40' | blectl shell --simulate
      """)

  @Argument(
    help: "The device: its address, its name, a pattern, or part of the name; 'use' takes another one.",
    completion: LiveCompletion.device, transform: DeviceArgument.init(parsing:))
  var device: DeviceArgument?
  @Option(
    help: ArgumentHelp("Which device to take if several match: strongest or first.", valueName: "which"),
    completion: .list(PickRule.allWords), transform: { try PickRule(word: $0, of: "rule") })
  var pick: PickRule?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions
  var deviceText: String? { device?.description }

  func run(in context: CommandContext) async throws {
    try await Shell(context, Blectl.grammar).run(device.map { DeviceChoice($0, pick: pick) })
  }
}
