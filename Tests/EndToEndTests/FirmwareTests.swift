// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

/// `firmware`: what files are, without Bluetooth.
@Suite("Firmware files")
struct FirmwareTests {
  /// Runs a script in a folder with firmware of each kind.
  private func run(_ script: String) async throws -> ToolResult {
    try await ToolFolder.with { folder in
      try await folder.run(
        "for kind in smp secure-dfu legacy-dfu; do blectl simulate --firmware $kind >$kind || exit 9; done; \(script)"
      )
    }
  }

  @Test("The facts of an image are lines with a tab, and the status is 0")
  func image() async throws {
    let result = try await run("blectl firmware smp")
    #expect(result.status == 0, "\(result.errorText)")
    let lines = result.lines
    #expect(lines.first == "file\tsmp" && lines.contains("kind\timage for MCUboot"))
    #expect(lines.contains("protocol\tsmp") && lines.contains("version\t2.0.0"))
    #expect(lines.contains { $0.hasPrefix("hash\t") } && !result.text.contains("problem"))
  }

  @Test(
    "A record tells the kind, the protocol and the parts",
    arguments: [
      ("smp", "mcuboot-image", "images"), ("secure-dfu", "nordic-secure-package", "parts"),
      ("legacy-dfu", "nordic-legacy-package", "parts"),
    ])
  func records(_ file: String, _ kind: String, _ list: String) async throws {
    let result = try await run("blectl firmware \(file) --json")
    #expect(result.status == 0, "\(result.errorText)")
    let record = try #require(try result.records.first)
    #expect(try result.records.count == 1)
    #expect(record["file"]?.text == file && record["kind"]?.text == kind)
    #expect(record["protocols"]?[0]?.text == file)
    #expect((record[list]?[0]?["size"]?.number ?? 0) >= 12_000)
  }

  @Test("A flipped byte is a problem with status 1, on both outputs, and in the record")
  func damaged() async throws {
    let flip = "printf x | dd of=smp bs=1 seek=5000 conv=notrunc 2>/dev/null"
    let text = try await run("\(flip); blectl firmware smp")
    #expect(text.status == 1)
    #expect(text.lines.last?.hasPrefix("problem:\tthe SHA-256 is ") == true)
    #expect(text.errorText.hasPrefix("blectl: cannot use smp: the SHA-256 is "))
    let json = try await run("\(flip); blectl firmware smp --json")
    #expect(json.status == 1)
    #expect(try json.records.first?["problems"]?[0]?.text?.hasPrefix("the SHA-256 is ") == true)
  }

  @Test(
    "A file that is cut off is a record of its own kind, with status 1",
    arguments: ["smp", "secure-dfu", "legacy-dfu"])
  func cutOff(_ kind: String) async throws {
    let result = try await run("head -c 9000 \(kind) | blectl firmware - --json")
    #expect(result.status == 1)
    let record = try #require(try result.records.first)
    #expect(record["file"]?.text == "stdin" && record["kind"]?.text == "damaged")
    #expect(result.errorText.contains("cut off"))
  }

  @Test("A text is no firmware, a missing file is a wrong command line, and Bluetooth is not used")
  func others() async throws {
    let text = try await run("echo hello | blectl firmware -")
    #expect(text.status == 1)
    #expect(text.errorText == "blectl: cannot use stdin: it is neither an image of MCUboot nor a package\n")
    let missing = try await run("blectl firmware nothing")
    #expect(
      missing.status == 64 && missing.errorText.contains("cannot read nothing: No such file or directory"))
    let bluetooth = try await run("blectl firmware smp --timeout 3s")
    #expect(bluetooth.status == 64 && bluetooth.errorText.contains("--timeout has no meaning here"))
  }
}
