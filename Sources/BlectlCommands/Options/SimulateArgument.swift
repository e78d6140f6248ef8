// SPDX-License-Identifier: MIT
internal import ArgumentParser

/// `--simulate`, alone or with a world: `--simulate=WORLD.json`.
///
/// ArgumentParser has options whose value may be left out, but those take the next word: `--simulate DEVICE` would be a
/// world. So what is behind the sign of equality becomes an option of its own before the arguments are parsed.
enum SimulateArgument {
  static let name = NameSpecification.customLong("simulate-world")
  private static let prefix = "--simulate="

  /// The arguments as ArgumentParser gets them; what stands behind `--` is not ours.
  static func split(_ arguments: [String]) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    let ours = arguments[..<end].flatMap { argument in
      guard argument.hasPrefix(prefix) else { return [argument] }
      return ["--simulate", "--simulate-world=\(argument.dropFirst(prefix.count))"]
    }
    return ours + arguments[end...]
  }
}
