// SPDX-License-Identifier: MIT
internal import Glibc

/// The descriptors 0, 1 and 2, which are standard input, output and error for everybody.
enum StandardStreams {
  /// Opens /dev/null in place of those that are closed.
  ///
  /// What we open next would get their numbers: output would go into a socket, or be read from there. Call first thing.
  static func open() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // It gets the least number that is free, which is this one.
      _ = Glibc.open("/dev/null", O_RDWR)
    }
  }
}
