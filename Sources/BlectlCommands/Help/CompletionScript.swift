// SPDX-License-Identifier: MIT

/// A completion script as ArgumentParser makes it, mended.
enum CompletionScript {
  /// Takes out the functions for ArgumentParser's own `help`, which stand behind ours of the same names and would be in
  /// their place.
  static func mended(_ script: String) -> String {
    let head = "\n_blectl_help() {"
    let places = script.ranges(of: head)
    guard places.count > 1, let last = places.last,
      let end = script[last.upperBound...].ranges(of: "\n}\n").first
    else { return script }
    return String(script[..<last.lowerBound] + script[end.upperBound...])
  }
}
