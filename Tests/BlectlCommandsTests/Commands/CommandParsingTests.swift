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

  @Test("--simulate takes no word; a world stands behind the sign of equality, ours before --")
  func simulate() throws {
    let plain = try #require(CommandLineTool.parse(["read", "--simulate", "Piano", "ffe2"]) as? ReadCommand)
    #expect(plain.common.simulate && plain.common.world == nil)
    #expect(plain.target.device.description == "Piano")
    let world = try #require(
      CommandLineTool.parse(["read", "--simulate=a=b.json", "Piano", "ffe2"]) as? ReadCommand)
    #expect(world.common.simulate && world.common.world == "a=b.json")
    let child = try #require(
      CommandLineTool.parse(["simulate", "w.json", "--", "blectl", "scan", "--simulate=x"])
        as? SimulateCommand)
    #expect(child.world == "w.json" && child.command == ["blectl", "scan", "--simulate=x"])
    let bare = try #require(CommandLineTool.parse(["simulate", "--", "true"]) as? SimulateCommand)
    #expect(bare.world == nil && bare.command == ["true"])
  }

  @Test(
    "help is that of the command",
    arguments: [
      (["scan", "--help"], "blectl scan"), (["help", "write"], "blectl write"),
      (["--help"], "blectl <subcommand>"), (["help"], "blectl <subcommand>"),
    ])
  func help(arguments: [String], usage: String) {
    let error = #expect(throws: (any Error).self) { try CommandLineTool.parse(arguments) }
    let text = error.map { Blectl.fullMessage(for: $0) } ?? ""
    #expect(text.contains("USAGE: \(usage)"), "\(text)")
  }
}
