// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BlectlArguments
internal import JSON

/// The words of `blectl smp` behind the device.
enum SMPAction: String, CaseIterable {
  case echo
  case info
  case params
  case images
  case reset
  case shell
  case fs
  case stats
  case settings
  case raw
}

/// A request to an MCUmgr server, as `blectl smp` takes it.
enum ManagementRequest: Sendable, Equatable {
  case echo(String)
  /// With the letters of the requested facts; nil requests the usual one.
  case info(String?)
  case params
  case images
  /// Images are named by the beginning of their hash.
  case test([UInt8])
  /// Nil confirms the image that runs.
  case confirm([UInt8]?)
  /// Nil erases the slot that the device proposes.
  case erase(slot: Int?)
  case reset
  case shell([String])
  /// Prints a file, or writes it to one of this machine.
  case get(String, to: String)
  case put(String, as: String)
  case hash(String, type: String)
  case length(String)
  /// Nil lists the groups.
  case stats(String?)
  case readSetting(String)
  case writeSetting(String, [ValueArgument])
  case deleteSetting(String)
  case commitSettings
  case loadSettings
  case saveSettings
  case raw(group: Int, command: Int, CBORMap)

  /// The words that an action takes, for the message about others.
  private static let usage: [SMPAction: String] = [
    .echo: "echo TEXT", .info: "info [LETTERS]", .params: "params",
    .images: "images [test HASH|confirm [HASH]|erase [SLOT]]", .reset: "reset", .shell: "shell WORDS…",
    .fs: "fs get PATH [FILE], fs put FILE PATH, fs hash PATH [TYPE] or fs length PATH",
    .stats: "stats [NAME]",
    .settings: "settings get NAME, set NAME VALUE…, delete NAME, commit, load or save",
    .raw: "raw GROUP COMMAND [JSON]",
  ]

  /// The deepest JSON that a request may have, as deep as an answer.
  private static let depth = 16

  /// Parses the words behind an action.
  init(_ action: SMPAction, _ words: [String]) throws(ArgumentError) {
    let rest = words.dropFirst()
    switch (action, words.count) {
    case (.echo, 1...): self = .echo(words.joined(separator: " "))
    case (.info, 0...1): self = .info(words.first)
    case (.params, 0): self = .params
    case (.reset, 0): self = .reset
    case (.shell, 1...): self = .shell(words)
    case (.stats, 0...1): self = .stats(words.first)
    case (.images, _): self = try Self.parseImages(words)
    case (.fs, 1...): self = try Self.parseFiles(words[0], Array(rest))
    case (.settings, 1...): self = try Self.parseSettings(words[0], Array(rest))
    case (.raw, 2...3): self = try Self.parseRaw(words)
    default: throw Self.wrong(action)
    }
  }

  private static func wrong(_ action: SMPAction) -> ArgumentError {
    ArgumentError(action.rawValue, "is used as \(usage[action] ?? action.rawValue)")
  }

  private static func parseImages(_ words: [String]) throws(ArgumentError) -> ManagementRequest {
    switch (words.first, words.count) {
    case (nil, _): return .images
    case ("test", 2): return .test(try parseHash(words[1]))
    case ("confirm", 1): return .confirm(nil)
    case ("confirm", 2): return .confirm(try parseHash(words[1]))
    case ("erase", 1): return .erase(slot: nil)
    case ("erase", 2): return .erase(slot: try parseNumber(words[1], 0...255))
    default: throw wrong(.images)
    }
  }

  private static func parseFiles(_ verb: String, _ words: [String]) throws(ArgumentError) -> ManagementRequest
  {
    switch (verb, words.count) {
    case ("get", 1...2): return .get(words[0], to: words.count == 2 ? words[1] : "-")
    case ("put", 2): return .put(words[0], as: words[1])
    case ("hash", 1...2): return .hash(words[0], type: words.count == 2 ? words[1] : "sha256")
    case ("length", 1): return .length(words[0])
    default: throw wrong(.fs)
    }
  }

  private static func parseSettings(
    _ verb: String, _ words: [String]
  ) throws(ArgumentError) -> ManagementRequest {
    switch (verb, words.count) {
    case ("get", 1): return .readSetting(words[0])
    case ("set", 2...):
      var values: [ValueArgument] = []
      for word in words.dropFirst() { values.append(try ValueArgument(parsing: word)) }
      return .writeSetting(words[0], values)
    case ("delete", 1): return .deleteSetting(words[0])
    case ("commit", 0): return .commitSettings
    case ("load", 0): return .loadSettings
    case ("save", 0): return .saveSettings
    default: throw wrong(.settings)
    }
  }

  private static func parseRaw(_ words: [String]) throws(ArgumentError) -> ManagementRequest {
    let (group, command) = (try parseNumber(words[0], 0...65_535), try parseNumber(words[1], 0...255))
    guard words.count == 3 else { return .raw(group: group, command: command, [:]) }
    do throws(JSONError) {
      let node = try JSONReader.read(words[2].utf8, maximumDepth: depth)
      guard let map = try CBORValue(json: node).map else {
        let found = node.members == nil ? node.summary : "an object that stands for another value"
        throw JSONError(node, "expected an object, found \(found)")
      }
      return .raw(group: group, command: command, map)
    } catch {
      throw ArgumentError(words[2], "is not the JSON of a request: \(error)")
    }
  }

  private static func parseNumber(_ text: String, _ range: ClosedRange<Int>) throws(ArgumentError) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw ArgumentError(text, "is not a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  private static func parseHash(_ text: String) throws(ArgumentError) -> [UInt8] {
    guard let bytes = Hex.bytes(text), (2...64).contains(bytes.count) else {
      throw ArgumentError(text, "is not the hash of an image, or at least its first four digits")
    }
    return bytes
  }
}

extension ManagementRequest {
  /// The most bytes of a file that is sent, or of a setting.
  private static let longestFile = 64 << 20

  /// The bytes that the request sends, of a file, of standard input or of a value; none for others.
  var input: [UInt8] {
    get throws {
      switch self {
      case .put(let path, as: _): try ValueSource.content(of: path, most: Self.longestFile)
      case .writeSetting(_, let values): try ValueSource.bytes(values, for: nil, most: 0xffff)
      default: []
      }
    }
  }
}
