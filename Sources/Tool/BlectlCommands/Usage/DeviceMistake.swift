// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BlectlArguments

/// A misplaced word: a device's name without quotes, without its characteristic, or after it, or a file before it.
struct DeviceMistake {
  let reason: String
  /// The corrected words after the command.
  private let words: [String]

  /// Nil for another mistake.
  init?(_ words: [String], of type: any ParsableCommand.Type) {
    let options = CommandOptions(of: type)
    let names = options.argumentNames
    guard names.first == "device" else { return nil }
    let arguments = options.arguments(in: words)
    guard names.count > 1, names[1].hasPrefix("characteristic") else {
      // The value of an unknown option would be taken for a part of the name.
      guard options.reason(for: words, among: []) == nil, !OptionalValue.hasDetachedLink(words),
        let count = Self.nameLength(arguments, options, of: type)
      else { return nil }
      let name = arguments[..<count].joined(separator: " ")
      reason = "a name with spaces needs quotes: '\(name)'"
      self.words = Self.replacing(arguments[..<count], in: words, with: [name])
      return
    }
    if type is SubscribeCommand.Type, options.reason(for: words, among: []) == nil,
      let mended = Self.pairsOfSeveral(arguments)
    {
      reason = "'\(mended.word)' has no device before it: use DEVICE:CHAR for each, or DEVICE CHAR…"
      self.words = Self.replacing(arguments[...], in: words, with: mended.arguments)
      return
    }
    guard arguments.count > 1, !Self.isCharacteristic(arguments[1]) else { return nil }
    if type is WriteCommand.Type, arguments.count == 2, arguments[1].count <= 3 || arguments[1].contains(":"),
      !words.contains(where: { $0.hasPrefix("--from") })
    {
      reason = "'\(arguments[1])' is no characteristic, which stands before the value"
      self.words = Self.replacing(
        arguments[...], in: words, with: [arguments[0], "CHAR", arguments[1]])
      return
    }
    if type is SubscribeCommand.Type, let device = Self.deviceAmongPairs(arguments) {
      // The value of an unknown option would be taken for it.
      if options.reason(for: words, among: []) != nil { return nil }
      reason = "'\(device)' has no characteristic: use DEVICE:CHAR for each"
      self.words = words.map { $0 == device ? "\(device):CHAR" : $0 }
    } else if arguments.count == 3, names.contains("file"), FileStatus.exists(arguments[1]),
      Self.isCharacteristic(arguments[2])
    {
      reason = "'\(arguments[1])' is a file: the characteristic comes first"
      self.words = Self.replacing(
        arguments[...], in: words, with: [arguments[0], arguments[2], arguments[1]])
    } else if type is ReceiveCommand.Type, arguments.count == 3, Self.isCharacteristic(arguments[2]),
      !words.contains(where: { $0.hasPrefix("--to") })
    {
      reason = "the file that is written stands behind --to"
      self.words = Self.replacing(
        arguments[...], in: words, with: [arguments[0], arguments[2], "--to", arguments[1]])
    } else if let end = arguments.indices.dropFirst(2).first(where: { Self.isCharacteristic(arguments[$0]) })
    {
      if words.contains("--all") || arguments[..<end].contains(where: Self.isPattern) {
        guard type is SubscribeCommand.Type, arguments[end...].allSatisfy(Self.isCharacteristic) else {
          return nil
        }
        reason = "several devices need a characteristic each: DEVICE:CHAR"
        self.words = Self.replacing(
          arguments[...], in: words, with: Self.pairs(arguments[..<end], arguments[end...]))
        return
      }
      // The characteristic is the word too many, not a blank.
      if type is SubscribeCommand.Type, (try? PairArgument(parsing: arguments[0])) != nil { return nil }
      let name = arguments[..<end].joined(separator: " ")
      reason = "a name with spaces needs quotes: '\(name)'"
      self.words = Self.replacing(arguments[..<end], in: words, with: [name])
    } else if arguments.count == 2, Self.isCharacteristic(arguments[0]) {
      reason = "the device comes first, then its characteristic"
      self.words = Self.replacing(arguments[..<2], in: words, with: [arguments[1], arguments[0]])
    } else {
      return nil
    }
  }

  /// The corrected command line.
  func command(_ name: String) -> String {
    (["blectl", name] + words.map(ShellWord.quoted)).joined(separator: " ")
  }

  /// The command line of this process with corrected words in the place of some, as a hint.
  static func typed(_ command: String, replacing old: [String], with new: [String]) -> String {
    let typed = Array(CommandLine.arguments.dropFirst(2))
    let words = old.allSatisfy(typed.contains) ? typed : old
    return (["blectl", command] + replacing(old[...], in: words, with: new).map(ShellWord.quoted))
      .joined(separator: " ")
  }

  /// The number of words that seem to be one name, if there are more words than arguments; nil for another mistake.
  private static func nameLength(
    _ arguments: [String], _ options: CommandOptions, of type: any ParsableCommand.Type
  ) -> Int? {
    var count = 1 + arguments.count - options.argumentNames.count
    if type is SMPCommand.Type {
      func isAction(_ word: String) -> Bool { (try? SMPAction(word: word, of: "action")) != nil }
      guard arguments.count > 2, !isAction(arguments[1]) else { return nil }
      count = arguments.firstIndex(where: isAction) ?? 1
    }
    guard count > 1,
      arguments[..<count].allSatisfy({ word in
        guard let device = try? DeviceArgument(parsing: word), case .name = device else { return false }
        return !device.isPattern && !FileStatus.exists(word)
      })
    else { return nil }
    return count
  }

  private static func isCharacteristic(_ word: String) -> Bool {
    (try? CharacteristicArgument(parsing: word)) != nil
  }

  private static func isPattern(_ word: String) -> Bool {
    (try? DeviceArgument(parsing: word))?.isPattern == true
  }

  /// The first word that is a device only, where the first one is a pair.
  private static func deviceAmongPairs(_ arguments: [String]) -> String? {
    guard (try? PairArgument(parsing: arguments[0])) != nil else { return nil }
    return arguments.dropFirst().first { (try? SourceWord(parsing: $0)) == nil }
  }

  /// The arguments of `subscribe` with a device before each characteristic, if some are pairs already, and the first word that is
  /// none; `DEVICE` stands for one that is not known.
  private static func pairsOfSeveral(_ arguments: [String]) -> (word: String, arguments: [String])? {
    func isPair(_ word: String) -> Bool {
      !isCharacteristic(word) && (try? PairArgument(parsing: word)) != nil
    }
    guard arguments.count > 1, arguments.dropFirst().contains(where: isPair),
      arguments.dropFirst().allSatisfy({ isPair($0) || isCharacteristic($0) }),
      let word = arguments.dropFirst().first(where: isCharacteristic)
    else { return nil }
    let device = isPair(arguments[0]) ? "DEVICE" : arguments[0]
    let mended = arguments.dropFirst().map { isPair($0) ? $0 : "\(device):\($0)" }
    return (word, (isPair(arguments[0]) ? [arguments[0]] : []) + mended)
  }

  /// The pairs of each device with its characteristic, in their order, or with all of them.
  private static func pairs(_ devices: ArraySlice<String>, _ characteristics: ArraySlice<String>) -> [String]
  {
    devices.count == characteristics.count
      ? zip(devices, characteristics).map { "\($0):\($1)" }
      : devices.flatMap { device in characteristics.map { "\(device):\($0)" } }
  }

  private static func replacing(
    _ old: ArraySlice<String>, in words: [String], with new: [String]
  ) -> [String] {
    var rest = words
    for word in old { rest.firstIndex(of: word).map { _ = rest.remove(at: $0) } }
    return new + rest
  }
}
