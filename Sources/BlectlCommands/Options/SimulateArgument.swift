// SPDX-License-Identifier: MIT
internal import ArgumentParser

/// `--simulate`, alone or with a world: `--simulate=WORLD.json`.
///
/// In ArgumentParser, an option with an optional value takes the next word: in `--simulate DEVICE`, the device. So the
/// part after `=` becomes an option of its own before the arguments are parsed.
enum SimulateArgument {
  static let name = NameSpecification.customLong("simulate-world")
  private static let prefix = "--simulate="

  /// The arguments as ArgumentParser gets them; those after `--` are not ours.
  static func split(_ arguments: [String]) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    let ours = arguments[..<end].flatMap { argument in
      guard argument.hasPrefix(prefix) else { return [argument] }
      return ["--simulate", "--simulate-world=\(argument.dropFirst(prefix.count))"]
    }
    return ours + arguments[end...]
  }
}
