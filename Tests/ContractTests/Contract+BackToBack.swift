// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TestSupport
internal import Testing

extension Contract {
  /// The commands of the README and the guide that use a link, each run twice in a row: BlueZ is still closing the first link.
  @Suite("Back to back", .serialized)
  struct BackToBack {
    private static let pages: String = {
      return ["README.md", "docs/guide.md"].compactMap { page in
        RecordedFile.read(RecordedFile.path(page))
      }.joined(separator: "\n")
    }()

    /// The lines that run a command over a link, and end by themselves; each once.
    private static let commands: [String] = {
      let verbs = ["connect", "info", "read", "services", "snapshot", "subscribe", "write"]
      let unfit = [
        "--simulate", "--log", "--plot", "--duration", "--reconnect", "--profile", "--passkey",
        "until Ctrl-C",
        "blectl simulate",
      ]
      let commands = pages.split(separator: "\n").compactMap { line -> String? in
        let text = line.hasPrefix("$ ") ? String(line.dropFirst(2)) : String(line)
        guard let start = text.firstRange(of: "blectl ")?.upperBound,
          text.hasPrefix("blectl ") || text.contains("| blectl "),
          verbs.contains(where: { text[start...].hasPrefix("\($0) ") }),
          !text.contains("DEVICE"), !unfit.contains(where: { text.contains($0) })
        else { return nil }
        return text
      }
      return Set(commands).sorted()
    }()

    private struct Outcome: Equatable {
      let status: Int32?
      let lines: [String]
    }

    private func run(_ command: String) async throws -> (Outcome, String) {
      let folder = Blectl.path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      let result = try await ToolRun(
        "/bin/sh",
        ["-c", "folder=$(mktemp -d); cd $folder; \(command)\nstatus=$?; rm -r $folder; exit $status"],
        environment: [
          "DBUS_SYSTEM_BUS_ADDRESS": try await Stages.shared.value.address,
          "PATH": "\(folder.joined(separator: "/")):/usr/local/bin:/usr/bin:/bin",
        ]
      ).result()
      // The values that a device notifies change, and so do times.
      let isSteady = !command.contains("subscribe") && !command.contains("--every")
      let lines = isSteady ? result.lines : result.lines.map { _ in "a value" }
      return (Outcome(status: result.status, lines: lines), result.errorText)
    }

    private func waitUntilFree() async throws {
      try await Contract.withCentral { central in
        for info in try await central.knownPeripherals() where info.isConnected {
          try await info.peripheral.disconnect(timeout: .seconds(30))
        }
      }
    }

    @Test("A command of the documentation gives twice in a row what it gives alone", arguments: commands)
    func twice(_ command: String) async throws {
      try await waitUntilFree()
      let (alone, errors) = try await run(command)
      try #require(alone.status == 0 || command.contains("-v"), "\(command): \(errors)")
      let (again, moreErrors) = try await run(command)
      #expect(again == alone, "\(command): \(moreErrors)")
    }

    @Test("The documentation has such commands")
    func count() { #expect(Self.commands.count > 10) }
  }
}
