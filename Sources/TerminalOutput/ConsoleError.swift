// SPDX-License-Identifier: MIT
import Glibc

/// Why nothing more can be written to an output.
package enum ConsoleError: Error, Sendable, Hashable {
  /// The reader went away (`blectl scan | head -1`): stop quietly, the way SIGPIPE would.
  case closed
  /// A signal has asked the process to end, and the reader takes nothing meanwhile.
  case interrupted
  /// The system refused, with the number from `errno`: a full disk, for instance.
  case failed(errno: Int32)
}

extension ConsoleError: CustomStringConvertible {
  /// The reason as the system words it.
  package var description: String {
    switch self {
    case .closed: "the reader has closed the pipe"
    case .interrupted: "the reader does not read"
    case .failed(let number): String(cString: strerror(number))
    }
  }
}
