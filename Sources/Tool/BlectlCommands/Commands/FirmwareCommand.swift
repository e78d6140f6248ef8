// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLEFormats
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput

struct FirmwareCommand: OfflineCommand {
  static let configuration = CommandConfiguration(
    commandName: "firmware",
    abstract: "Show what a firmware file is, and what is wrong with it.",
    discussion: """
      blectl simulate --firmware smp >new.bin
      blectl firmware new.bin
      blectl firmware new.bin --json

      It knows images for MCUboot (.bin, .hex), and packages (.zip) of the nRF Connect SDK, nrfutil and adafruit-nrfutil. Sizes, \
      hashes and checksums are compared; signatures are not, as only the device has the key. The status is 1 if a device would \
      refuse the file.
      """)

  @Argument(help: "The file; - is stdin.", completion: .file())
  var file: String
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  /// Far more than the flash of any such device.
  private static let longestFile = 64 << 20

  func validate() throws { try refuseOptionsOfBluetooth() }

  func run(in context: CommandContext) async throws {
    let bytes = try ValueSource.content(of: file, most: FirmwareCommand.longestFile)
    let record = FirmwareRecord(bytes, named: file == "-" ? "stdin" : file)
    let console = context.console
    if common.json {
      try console.write(record)
    } else if console.output.isTerminal {
      let style = console.output.style
      let width = console.output.size?.columns
      try console.write(lines: FactLines.lines(record.facts, width: width, style: style))
      for problem in record.problems {
        let line = style.apply(.red, to: "problem:") + " " + TerminalSafe.sentence(problem)
        try console.write(lines: TextWrap.lines(line, width: width, hanging: "problem: ".count))
      }
    } else {
      let facts = record.facts.map { TabSeparated.line([$0.name, $0.value]) }
      try console.write(lines: facts + record.problems.map { "problem:\t" + TerminalSafe.sentence($0) })
    }
    if let first = record.problems.first {
      let count = record.problems.count
      throw CommandError(
        status: .failed,
        message: "cannot use \(record.name): \(count == 1 ? first : "\(count) problems, the first: \(first)")"
      )
    }
  }
}
