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

/// The messages in docs/exit-status-and-errors.md, and so in blectl-errors(7), are those of the situations that are played.
///
/// `BLECTL_RECORD=1` writes them again.
@Suite("Document of the situations")
struct SituationDocumentTests {
  /// An error as the document has it, in Markdown.
  private struct Entry {
    let status: Int32
    var message: String
    /// Nil also if it is the help of the command that was misused.
    let hint: String?
  }

  private static let path = RecordedFile.path("docs/exit-status-and-errors.md")

  /// The beginnings of messages that only name the operation and its device.
  private static var operations: [Regex<Substring>] {
    [
      /cannot (?:scan|advertise):\s/,
      /cannot (?:connect to|pair with|use|find) [^\s\-]\S*:\s/,
      /cannot (?:read|write|subscribe to) \S+ of (?:Heart )?\S+:\s/,
      /cannot find \S+ on \S+:\s/,
    ]
  }

  /// A section for each group that has messages, divided by the status.
  private static var sections: String {
    let all = SituationGroup.all.flatMap(\.situations).filter { !$0.message.isEmpty }.map { entry($0) }
    // Those that have more than one hint or status are told apart by the situation.
    let ambiguous = Set(all.map(\.message)).filter { message in
      Set(all.filter { $0.message == message }.map { "\($0.status) \($0.hint ?? "")" }).count > 1
    }
    let sections = SituationGroup.all.compactMap { group -> String? in
      let entries = group.situations.filter { !$0.message.isEmpty }.map { situation in
        var entry = entry(situation)
        if ambiguous.contains(entry.message) { entry.message += " (\(situation.title))" }
        return entry
      }
      let parts = Set(entries.map(\.status)).sorted().map { status in
        "Status \(status):\n" + list(entries.filter { $0.status == status })
      }
      return parts.isEmpty ? nil : "### \(group.title)\n\n" + parts.joined(separator: "\n")
    }
    return sections.joined(separator: "\n")
  }

  private static func entry(_ situation: Situation) -> Entry {
    var lines = situation.message
    var hint = situation.hint
    let first = lines[0]
    if let start = first.prefixMatch(of: /cannot run '(\w+)':\s/), hint == "blectl \(start.1) --help" {
      lines[0] = String(first[start.range.upperBound...])
      hint = nil
    } else if let start = operations.compactMap({ first.prefixMatch(of: $0) }).first {
      lines[0] = String(first[start.range.upperBound...])
    }
    let message = lines.map { code($0) }.joined(separator: " · ")
    return Entry(status: situation.status, message: message, hint: hint.map { code($0) })
  }

  /// The messages with a hint in a table, in which those with the same hint stand together, and the others in a list.
  private static func list(_ entries: [Entry]) -> String {
    let rows = entries.compactMap(\.hint).unique.flatMap { hint in
      entries.filter { $0.hint == hint }.map(\.message).unique.map { row($0, hint) }
    }
    let others = entries.filter { $0.hint == nil }.map(\.message).unique
    let table = rows.isEmpty ? "" : "\n| message | hint |\n|---|---|\n" + rows.joined()
    return table + (others.isEmpty ? "" : "\n" + others.map { "- \($0)\n" }.joined())
  }

  private static func row(_ cells: String...) -> String {
    "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
  }

  private static func code(_ text: String) -> String {
    "`" + text.replacing("PROCESS", with: "4711") + "`"
  }

  @Test("The document has each message with its status and hint")
  func document() throws {
    let text = try #require(RecordedFile.read(Self.path))
    let start = try #require(text.ranges(of: "\n### ").first?.lowerBound ?? text.endIndex)
    let updated = text[..<start] + (start == text.endIndex ? "" : "\n") + Self.sections
    if RecordedFile.isRecording {
      try RecordedFile.write(String(updated), Self.path)
    } else {
      #expect(text == updated, "record it with BLECTL_RECORD=1")
    }
  }
}

extension [String] {
  /// The texts without repetitions, in their order.
  fileprivate var unique: [String] {
    var known: Set<String> = []
    return filter { known.insert($0).inserted }
  }
}
