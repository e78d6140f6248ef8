// SPDX-License-Identifier: MIT
import ArgumentParser
import Testing

@testable import BlectlCommands

@Suite("parsing of command lines")
struct CommandParsingTests {
  @Test("a signal strength may follow its option as it is, with its minus sign")
  func negativeStrength() throws {
    let scan = try #require(CommandLineTool.parse(["scan", "--rssi", "-70"]) as? ScanCommand)
    #expect(scan.rssi == -70)
  }

  @Test("the adapter is named by -i or by --adapter", arguments: ["-i", "--adapter"])
  func adapter(option: String) throws {
    #expect(try CommandLineTool.parse(["devices", option, "hci1"]).common.adapter == "hci1")
  }

  @Test(
    "help is that of the command",
    arguments: [
      (["scan", "--help"], "blectl scan"), (["help", "write"], "blectl write"),
      (["--help"], "blectl <subcommand>"), ([], "blectl <subcommand>"),
    ])
  func help(arguments: [String], usage: String) {
    let error = #expect(throws: (any Error).self) { try CommandLineTool.parse(arguments) }
    let text = error.map { Blectl.fullMessage(for: $0) } ?? ""
    #expect(text.contains("USAGE: \(usage)"), "\(text)")
  }
}
