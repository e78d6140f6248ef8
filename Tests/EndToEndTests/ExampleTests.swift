// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

/// The examples of the help texts are run, each as it stands there.
@Suite("Examples of the help")
struct ExampleTests {
  /// The examples are what stands between their heading and the next empty line.
  private static func examples(of help: String) -> [String] {
    let lines = help.split(separator: "\n", omittingEmptySubsequences: false).drop { $0 != "EXAMPLES:" }
      .dropFirst()
    return lines.prefix { !$0.isEmpty }.map { String($0.drop { $0 == " " }) }
  }

  @Test(
    "Each example of the help is on one line, needs no radio, and does what it says",
    arguments: HelpTests.commands)
  func examples(_ command: String) async throws {
    let help = try await Blectl().start([command, "--help"], environment: ["COLUMNS": "80"]).result()
    let examples = Self.examples(of: help.text)
    #expect((2...6).contains(examples.count))
    #expect(examples.contains { $0.contains("blectl \(command)") })
    try await ToolFolder.with { folder in
      for example in examples {
        #expect(example.contains("blectl"), "\(example)")
        let result = try await folder.run(example)
        #expect(result.status == 0, "\(example): \(result.errorText)")
      }
    }
  }

  @Test("Each task that blectl alone shows is on one line, and does what it says: there are six")
  func tasks() async throws {
    let text = try await Blectl().run().text
    let commands = text.split(separator: "\n").compactMap { line in
      line.hasPrefix("  ") ? line.ranges(of: "  blectl ").first.map { String(line[$0.lowerBound...]) } : nil
    }
    #expect(commands.count == 6)
    try await ToolFolder.with { folder in
      for command in commands {
        let result = try await folder.run(command)
        #expect(result.status == 0, "\(command): \(result.errorText)")
        #expect(!result.output.isEmpty || command.contains("write"), "\(command)")
      }
    }
  }

  @Test("Each command of blectl help formats is on one line, and does what it says")
  func topic() async throws {
    let text = try await Blectl().run("help", "formats").text
    let commands = text.split(separator: "\n").filter { $0.hasPrefix("  blectl ") && !$0.contains("   ") }
    #expect(commands.count == 8)
    try await ToolFolder.with { folder in
      for command in commands {
        let result = try await folder.run(String(command))
        #expect(result.status == 0, "\(command): \(result.errorText)")
      }
    }
  }
}
