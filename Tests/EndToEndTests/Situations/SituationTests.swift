// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

/// Every situation of docs/exit-status-and-errors.md is played: the real binary, in a shell, in a folder of its own.
@Suite("Situations")
struct SituationTests {
  static let all = SituationGroup.all.flatMap(\.situations)

  @Test("Message, hint and exit status are those of the table", arguments: all)
  func situation(_ situation: Situation) async throws {
    let result = try await withBus(for: situation.place) { bus in try await play(situation, bus) }
    let errors = result.errorText.replacing(/process \d+/, with: "process PROCESS")
    #expect(errors.split(separator: "\n").map(String.init) == situation.errors)
    #expect(result.status ?? result.signal.map { 128 + $0 } == situation.status)
  }

  @Test("There are many situations, each once, and each hint names an existing command")
  func table() async throws {
    #expect(Self.all.count >= 40)
    #expect(Set(Self.all.map(\.title)).count == Self.all.count)
    let words = ["blectl", "sudo", "man"]
    let known = HelpTests.commands + ["forget"]
    for hint in Self.all.compactMap(\.hint) {
      let first = hint.split(separator: " ").map(String.init)
      if first[0] == "blectl" { #expect(known.contains(first[1].replacing(/[;,]$/, with: "")), "\(hint)") }
      #expect(
        words.contains(first[0]) || hint.contains("--") || hint.contains("@")
          || hint.contains("stop the other"))
    }
  }

  /// Runs the command line; `pipefail`, so that it is blectl's status that counts.
  private func play(_ situation: Situation, _ bus: String) async throws -> ToolResult {
    try await ToolFolder.with { folder in
      var files = situation.files
      if case .world(let text) = situation.place { files["world.json"] = text }
      for (name, text) in files { try folder.write(text, to: name) }
      let exec = if case .signal = situation.ending { "exec " } else { "" }
      let run = try folder.start(
        "set -o pipefail; \(exec)\(situation.line)",
        environment: ["DBUS_SYSTEM_BUS_ADDRESS": bus].merging(situation.environment) { $1 })
      if case .signal(let number) = situation.ending {
        #expect(await run.waitForLines(1))
        run.send(signal: number)
      }
      return await run.result()
    }
  }

  private func withBus(
    for place: Situation.Place, _ body: (String) async throws -> ToolResult
  ) async throws -> ToolResult {
    switch place {
    case .world, .builtIn, .noBus: return try await body("unix:path=/nonexistent")
    case .unexperimental: return try await withSimulator { try await body($0.address) }
    case .emptyBus, .denyingBus:
      let isDenying = if case .denyingBus = place { true } else { false }
      let bus = try await PrivateBus.start(denying: isDenying ? "org.bluez" : nil)
      let simulator =
        isDenying ? try await Simulator.start(world: .builtIn, on: bus.address, timing: .brisk) : nil
      let result = try await body(bus.address)
      await simulator?.stop()
      await bus.stop()
      return result
    }
  }
}

/// The tables of docs/exit-status-and-errors.md, and so blectl-errors(7), are made from the situations that are played.
///
/// `BLECTL_RECORD=1` writes them again.
@Suite("Document of the situations")
struct SituationDocumentTests {
  private static let path: String = {
    let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
    return (root + ["docs", "exit-status-and-errors.md"]).joined(separator: "/")
  }()

  private static var tables: String {
    SituationGroup.all.map { group in
      let head =
        "### \(group.title)\n\n| situation | command | status | message | hint |\n|---|---|---|---|---|\n"
      return head + group.situations.map { row($0) }.joined()
    }.joined(separator: "\n")
  }

  private static func row(_ situation: Situation) -> String {
    let command = situation.command.replacing(" >/dev/null", with: "")
    let cells = [
      situation.title, code(command), "\(situation.status)",
      situation.message.map { code($0) }.joined(separator: " · "), situation.hint.map { code($0) } ?? "",
    ]
    return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
  }

  private static func code(_ text: String) -> String {
    "`" + text.replacing("PROCESS", with: "4711") + "`"
  }

  @Test("The document has a row for each situation")
  func document() throws {
    let text = try #require(RecordedFile.read(Self.path))
    let start = try #require(text.ranges(of: "\n### ").first?.lowerBound ?? text.endIndex)
    let updated = text[..<start] + (start == text.endIndex ? "" : "\n") + Self.tables
    if RecordedFile.isRecording {
      try RecordedFile.write(String(updated), Self.path)
    } else {
      #expect(text == updated, "record it with BLECTL_RECORD=1, then GeneratedPagesTests")
    }
  }
}
