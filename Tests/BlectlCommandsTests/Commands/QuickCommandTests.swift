// SPDX-License-Identifier: MIT
import ArgumentParser
import Testing

@testable import BlectlCommands

/// What is made without ArgumentParser is what ArgumentParser makes.
@Suite("quick commands")
struct QuickCommandTests {
  /// Every option and flag of each command that is quick, in several orders.
  static let plain = [
    "read Bench 2a19",
    "read F0:F1:F2:F3:F4:F5 180f/2a19 @002a 2a29 --json",
    "read --as u16be Bench --every 10s --count 3 2a6e --timeout 500ms",
    "read Bench 2a19 --descriptor 2901 --pick strongest -i hci1 -q",
    "read --pick first --bus unix:path=/x --color never Bench 2a19 -v -v",
    "read --adapter hci0 --simulate --quiet --verbose Bench 2a19",
    "write Piano ffe3 f03d3d0002f7",
    "write Piano ffe3 f03d u8:2 utf8:x --reply ffe2 --as hex --timeout 0",
    "write Piano ffe3 --from values.txt --no-response --json",
    "write Piano ffe3 --descriptor 2901 utf8:name --bus unix:path=/x",
    "scan", "scan --count 1000", "scan --duration 0 --duplicates --json", "scan --passive -q --simulate",
    "scan --service 180d --service heart-rate --name MI* --name Piano --address F0:F1:F2:F3:F4:F5",
    "scan --manufacturer 004c --rssi 20 --rssi-at-1m 59 --path-loss 2.5 --timeout 3s --color never",
    "subscribe Bench 2a37", "notify Bench 2a37 180f/2a19 --count 5 --json",
    "subscribe --all Th* 2a6e --as i16",
    "subscribe Bench 2a37 --duration 0 --via socket --pick first --buffer 1M",
    "subscribe Bench 2a37 --reconnect --reconnect-delay 5s --reconnect-limit 1h --via signal",
    "subscribe Bench 2a37 --log a.csv --log b.ndjson --log-rotate 24h -q",
    "subscribe Bench 2a37 --plot --plot-svg a.svg --plot-window 5m -i hci1",
    "devices", "devices --connected --paired --json --color always",
    "connect Bench", "connect Bench --stay --pick first -i hci0",
    "disconnect Bench", "disconnect Bench --timeout 1s --json",
  ]

  /// What is wrong, not plain, or of a command that is not quick.
  static let others = [
    "", "read", "read Bench", "read Bench zz", "read Bench 2a19 --as", "read Bench 2a19 --as nonsense",
    "read Bench 2a19 --count 3", "read Bench 2a19 --every 1s --count 0", "read Bench 2a19 --as=hex",
    "read Bench 2a19 --as hex --as u8", "read Bench 2a19 --json --json", "read Bench 2a19 -vv",
    "read Bench 2a19 --nonsense", "read --help", "read Bench 2a19 -h", "read -- Bench 2a19",
    "read Bench 2a19 --simulate --bus unix:path=/x", "read Bench 2a19 --color blue",
    "write Piano", "write Piano ffe3", "write Piano ffe3 f", "write Piano ffe3 -",
    "write Piano ffe3 01 --from x",
    "write Piano ffe3 01 --no-response --descriptor 2901", "write Piano ffe3 --from -",
    "devices Bench", "connect", "connect Bench 2a19", "disconnect", "--version", "help read",
    "Read Bench 2a19",
    "scan Bench", "scan --rssi -70", "scan --rssi 40", "scan --count 0", "scan --service", "scan --name=MI*",
    "scan --count 1 --count 2", "scan --path-loss 11", "scan --manufacturer xyz", "scan --duration soon",
    "subscribe", "subscribe Bench", "subscribe Bench 2a37 --via air", "subscribe Bench 2a37 --plot --json",
    "subscribe Bench 2a37 --log a.txt", "subscribe Bench 2a37 --log-rotate 24h",
    "subscribe Bench 2a37 --buffer 3",
    "subscribe Bench 2a37 --reconnect-delay 5s", "subscribe Bench 2a37 --plot-window 5m",
    "subscribe Bench 2a37 --all --pick first", "subscribe Bench 2a37 --count 0",
  ]

  private func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

  /// Everything that a command holds, its property wrappers included.
  private func dumped(_ command: any BlectlCommand) -> String {
    var text = ""
    dump(command, to: &text)
    return text
  }

  @Test("a quick command is the one that ArgumentParser makes, property by property", arguments: plain)
  func isSame(line: String) throws {
    let quick = try #require(QuickCommands.command(words(line)))
    #expect(dumped(quick) == dumped(try CommandLineTool.parseWithArgumentParser(words(line))))
  }

  @Test("what is wrong or unusual is left to ArgumentParser", arguments: others)
  func isLeft(line: String) {
    #expect(QuickCommands.command(words(line)) == nil)
  }

  @Test("the version is said in the same words", arguments: [["--version"]])
  func version(arguments: [String]) {
    let error = #expect(throws: (any Error).self) { try CommandLineTool.parse(arguments) }
    #expect(error.map { Blectl.fullMessage(for: $0) } == Blectl.configuration.version)
  }
}
