// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral

struct UUIDCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "uuid",
    abstract: "Tell which number a name is, or what a number stands for, without Bluetooth.",
    discussion: """
      blectl uuid heart-rate
      blectl uuid 2a37
      blectl uuid --kind company 004c

      A number is a UUID of 16, 32 or 128 bits, a company identifier or an appearance value. A name may be a part of one: \
      those that are just that come first.
      """)

  @Argument(
    help: "A number, a name, or a part of a name; several words are one name.",
    completion: LiveCompletion.name)
  var text: [String]
  @Option(
    help: ArgumentHelp("Only this kind of number: service, characteristic, company, …", valueName: "kind"),
    transform: UUIDCommand.kind(parsing:))
  var kind: AssignedNumber.Kind?
  @OptionGroup var common: CommonOptions

  private static func kind(parsing text: String) throws -> AssignedNumber.Kind {
    if let kind = AssignedNumber.Kind(rawValue: text.replacing("_", with: "-")) { return kind }
    throw ArgumentError(text, "is not a kind", words: AssignedNumber.Kind.allCases.map(\.rawValue))
  }

  func run(in session: Session) async throws {
    let answer = UUIDAnswer(text: text.joined(separator: " "), kind: kind)
    try answer.write(to: session.console, isJSON: common.json)
  }
}
