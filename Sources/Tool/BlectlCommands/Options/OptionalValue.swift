// SPDX-License-Identifier: MIT

/// Options that may have a value: `--simulate`, or `--simulate=WORLD.json`.
///
/// In ArgumentParser, an option with an optional value takes the next word: in `--simulate DEVICE`, the
/// device. So the value becomes an option of its own before the arguments are parsed.
enum OptionalValue {
  /// The hidden options that have the values; no dictionary, which would take the runtime longer to make.
  private static let values: [(name: String, hidden: String)] = [
    ("--simulate", "--simulate-world"), ("--pty", "--pty-link"),
  ]

  /// A reason of ArgumentParser's, with the options that people give: `--pty=` for the hidden one.
  ///
  /// It also says how a link without a folder is given, which is taken for an argument.
  static func explained(_ reason: String, of words: [String]) -> String {
    let shown = values.reduce(reason) { $0.replacing($1.hidden, with: "\($1.name)=") }
    guard shown.hasPrefix("unexpected argument") else { return shown }
    guard let link = detachedLink(in: words) else { return shown }
    return "\(shown); did you mean --pty=\(link)?"
  }

  /// True if a word behind `--pty` is taken for an argument.
  static func hasDetachedLink(_ words: [String]) -> Bool { detachedLink(in: words) != nil }

  private static func detachedLink(in words: [String]) -> String? {
    guard let index = words.firstIndex(of: "--pty"), let link = words[index...].dropFirst().first,
      !link.hasPrefix("-")
    else { return nil }
    return link
  }

  /// The arguments as ArgumentParser gets them; those after `--` are not ours.
  static func split(_ arguments: [String]) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    var ours: [String] = []
    var index = 0
    while index < end {
      let argument = arguments[index]
      index += 1
      let name = String(argument.prefix { $0 != "=" })
      guard let value = values.first(where: { $0.name == name })?.hidden else {
        ours.append(argument)
        continue
      }
      ours.append(name)
      if name != argument {
        ours.append("\(value)=\(argument.dropFirst(name.count + 1))")
      } else if name == "--pty", index < end, arguments[index].contains("/"), !arguments[index].hasPrefix("-")
      {
        // A path, and no device.
        ours.append("\(value)=\(arguments[index])")
        index += 1
      }
    }
    return ours + arguments[end...]
  }
}
