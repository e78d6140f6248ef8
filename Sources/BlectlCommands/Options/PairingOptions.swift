// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral

/// The answers to the questions of a pairing, for scripts.
struct PairingOptions: ParsableArguments {
  @Flag(help: "Say yes: to a comparison, and to pairing without a number.")
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

/// Whether a command pairs when a device asks for it.
struct PairOption: ParsableArguments {
  @Flag(name: .customLong("pair"), help: "Pair if the device requires it, and go on.")
  var isOn = false
}
