// SPDX-License-Identifier: MIT
internal import Glibc

package enum ProgramPath {
  /// The path of the running program, for other programs and for hints.
  package static var own: String {
    guard let path = realpath("/proc/self/exe", nil) else { return "blectl" }
    defer { free(path) }
    return String(cString: path)
  }
}
