// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLEFormats
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput

extension LiveCompletion {
  /// The words after an action of `keys`: known devices to add, keys to remove, files to import.
  static let keySubject = CompletionKind.custom { words, _, prefix in
    let words = plain(words)
    return switch words.first(where: { ["add", "remove", "import"].contains($0) }) {
    case "add": list(devices(KnownObjects.ask(words)))
    case "remove": list(keys(words))
    case "import": list(files(prefix))
    default: []
    }
  }

  /// The names and addresses in the file of keys; none if it cannot be used.
  private static func keys(_ words: [String]) -> [Candidate] {
    let file = KeysFile(
      given: GivenOption.values(of: "--keys", in: words).first, environment: Console.environment)
    guard let ring = try? file?.read() else { return [] }
    return ring.identities.map { Candidate($0.name, about: "identity") }
      + ring.bindKeys.keys.sorted().map { Candidate("\($0)", about: "bind key") }
  }

  /// The files whose path begins with a text; folders end with a slash.
  private static func files(_ prefix: String) -> [Candidate] {
    let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
    let start = prefix.dropFirst(folder.count)
    let names = (try? Folder.names(in: folder.isEmpty ? "." : folder)) ?? []
    return names.filter { $0.hasPrefix(start) && (start.hasPrefix(".") || !$0.hasPrefix(".")) }.map {
      Candidate(folder + $0 + (FileStatus.isFolder(folder + $0) ? "/" : ""))
    }
  }
}
