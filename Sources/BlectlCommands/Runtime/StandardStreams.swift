// SPDX-License-Identifier: MIT
internal import Glibc

/// Standard input, output and error.
enum StandardStreams {
  /// Opens /dev/null in place of closed ones; call it first.
  ///
  /// Otherwise the next socket we open would get the number of a standard stream, and receive our output.
  static func open() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // open(2) returns the lowest free number, which is this one.
      _ = Glibc.open("/dev/null", O_RDWR)
    }
  }

  /// Whether standard input is a terminal that another job has: reading from it would stop the process.
  static var isInBackground: Bool { isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) != getpgrp() }
}
