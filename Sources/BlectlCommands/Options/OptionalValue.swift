// SPDX-License-Identifier: MIT

/// Options that may have a value: `--simulate`, or `--simulate=WORLD.json`.
///
/// In ArgumentParser, an option with an optional value takes the next word: in `--simulate DEVICE`, the
/// device. So the value becomes an option of its own before the arguments are parsed.
enum OptionalValue {
  /// The hidden options that have the values.
  private static let values = ["--simulate": "--simulate-world", "--pty": "--pty-link"]

  /// The arguments as ArgumentParser gets them; those after `--` are not ours.
  static func split(_ arguments: [String]) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    var ours: [String] = []
    var index = 0
    while index < end {
      let argument = arguments[index]
      index += 1
      let name = String(argument.prefix { $0 != "=" })
      guard let value = values[name] else {
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
