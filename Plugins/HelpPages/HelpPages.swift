// SPDX-License-Identifier: MIT
import Foundation
import PackagePlugin

/// Compiles pages of `docs/` into the target that shows them: `blectl help TOPIC` prints them.
@main
struct HelpPages: BuildToolPlugin {
  /// The pages by the topics that show them, as `HelpTopic` names them; the compiler finds a topic without a page.
  private static let pages: KeyValuePairs = [
    "json": "json", "exitStatus": "exit-status-and-errors", "formats": "formats", "values": "characteristics",
    "faults": "faults", "world": "world", "logging": "logging", "scripts": "scripts", "serving": "serving",
    "keys": "keys", "profiles": "profiles", "page": "page", "files": "files", "serialPorts": "serial",
    "extensions": "extending", "updates": "update",
  ]

  /// Writes a Swift file; the arguments are its path, and then a topic and a page in turn.
  private static let script = ##"""
    set -eu
    exec >"$1"
    shift
    printf 'extension HelpTopic {\n  /// The page of the documentation.\n  var markdown: String {\n    switch self {\n'
    while [ $# -gt 0 ]; do
      printf '    case .%s: #"""\n' "$1"
      cat "$2"
      printf '"""#\n'
      shift 2
    done
    printf '    }\n  }\n}\n'
    """##

  func createBuildCommands(context: PluginContext, target: any Target) -> [Command] {
    let docs = context.package.directoryURL.appending(path: "docs")
    let output = context.pluginWorkDirectoryURL.appending(path: "HelpTopic+Markdown.swift")
    let pages = Self.pages.map { topic, page in (topic: topic, file: docs.appending(path: "\(page).md")) }
    return [
      .buildCommand(
        displayName: "Writing the pages of the help", executable: URL(filePath: "/bin/sh"),
        arguments: ["-c", Self.script, "sh", output.path] + pages.flatMap { [$0.topic, $0.file.path] },
        inputFiles: pages.map(\.file), outputFiles: [output])
    ]
  }
}
