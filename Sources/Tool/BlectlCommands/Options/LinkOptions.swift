// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession

/// The device of a command.
struct TargetOptions: ParsableArguments {
  @Argument(
    help: "The device: its address, its name, a pattern such as 'MI Band*', or part of the name.",
    completion: LiveCompletion.device, transform: DeviceArgument.init(parsing:))
  var device: DeviceArgument

  @Option(
    help: ArgumentHelp("Which device to take if several match: strongest or first.", valueName: "which"),
    completion: .list(PickRule.allWords), transform: { try PickRule(word: $0, of: "rule") })
  var pick: PickRule?

  var choice: DeviceChoice { DeviceChoice(device, pick: pick) }

  /// Throws if the file of a command stands before its device, or is the rest of its name; `verb` is for what cannot be done
  /// with the file, and `rest` is what follows the whole name.
  func requireDevice(
    before file: String, _ command: String, _ verb: String, rest: [String] = []
  ) throws(CommandError) {
    let word = "\(device)"
    guard file != "-", !FileStatus.exists(file) else { return }
    if FileStatus.exists(word) {
      throw .usage(
        "cannot \(verb) \(file): no such file, but \(word) is one: the device comes first",
        hint: DeviceMistake.typed(command, replacing: [word, file], with: [file, word]))
    }
    guard case .name = device, !device.isPattern, !file.contains(where: { "./".contains($0) }) else { return }
    let line = DeviceMistake.typed(command, replacing: [word, file], with: ["\(word) \(file)"] + rest)
    throw .usage("cannot read \(file): No such file or directory", hint: "if it belongs to the name: \(line)")
  }

  func locator(in context: CommandContext) async throws -> DeviceLocator {
    DeviceLocator(device, pick: pick, central: try await context.bus.central(), context: context)
  }
}

/// The reaction to a lost link.
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

  /// Checks the options of a command, which may reconnect without `--reconnect`.
  func check(isImplied: Bool = false) throws {
    if !reconnect, !isImplied, delay != nil || limit != nil {
      throw ValidationError("--reconnect-delay and --reconnect-limit need --reconnect.")
    }
  }

  /// Nil when a lost link is the end.
  func policy(isImplied: Bool = false) -> ReconnectPolicy? {
    guard reconnect || isImplied else { return nil }
    var policy = ReconnectPolicy()
    if let delay { policy.longestDelay = delay.limit ?? .zero }
    policy.limit = limit?.limit
    return policy
  }
}

/// The options for the recovery of an adapter that has stopped working.
struct RecoverOptions: ParsableArguments {
  @Flag(
    help: """
      Recover an adapter that goes silent, or connects to nothing: start its discovery again, then switch it off and on, then reset its \
      USB device. At most once in 10 minutes; not while it has links.
      """)
  var recover = false

  @Option(
    name: .customLong("recover-after"),
    help: ArgumentHelp("With --recover: how long it may be silent. (default: 60s)", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var patience: DurationArgument?

  func validate() throws {
    if patience != nil, !recover { throw ValidationError("--recover-after needs --recover.") }
    if let patience, patience.limit == nil { throw ValidationError("--recover-after must be more than 0.") }
  }

  /// Nil unless it is wanted.
  func recovery(in context: CommandContext) -> AdapterRecovery? {
    recover ? AdapterRecovery(after: patience?.limit ?? .seconds(60), in: context) : nil
  }
}

/// The answers to pairing questions, for scripts.
struct PairingOptions: ParsableArguments {
  @Flag(help: "Answer yes: to a comparison, and to pairing without a number.")
  var yes = false
  @Option(
    help: ArgumentHelp(
      "The passkey that the device shows, or is labelled with. Other users of this machine can see it.",
      valueName: "n"), transform: Passkey.init(parsing:))
  var passkey: Passkey?
  @Option(
    help: ArgumentHelp("The PIN of a device from before Bluetooth 2.1.", valueName: "text"),
    transform: String.init(parsingPIN:))
  var pin: String?
  @Option(
    help: ArgumentHelp(
      """
      What this side can do, which decides how the devices pair: display-only, display-yes-no, keyboard-only, \
      keyboard-display or none. Default: everything on a terminal and with --json, else what the other options answer.
      """, valueName: "capability"), completion: .list(CapabilityWord.allWords),
    transform: { try CapabilityWord(word: $0, of: "capability") })
  var capability: CapabilityWord?

  var answers: PairingAnswers {
    PairingAnswers(yes: yes, passkey: passkey, pin: pin, capability: capability)
  }
}

/// A command that pairs when a device requires it.
///
/// Not a group of options: the runtime looks up its type several times, in each start of a command.
protocol PairingCommand {
  var pair: Bool { get }
  var passkey: Passkey? { get }
}

extension PairingCommand {
  func validatePairing() throws {
    if passkey != nil, !pair { throw ValidationError("--passkey needs --pair.") }
  }

  /// The answers to the questions of a pairing; nil without `--pair`.
  var pairingAnswers: PairingAnswers? { pair ? PairingAnswers(passkey: passkey) : nil }
}

enum PairingHelp {
  static let pair: ArgumentHelp = "Pair if the device requires it, and go on."
  static let passkey = ArgumentHelp(
    "With --pair, the passkey that the device shows, or is labelled with. Other users of this machine can see it.",
    valueName: "n")
}
