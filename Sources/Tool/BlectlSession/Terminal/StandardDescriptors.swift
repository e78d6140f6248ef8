// SPDX-License-Identifier: MIT
package import AsyncIO
internal import Glibc
package import TerminalOutput

/// Standard input, output and error.
package enum StandardDescriptors {
  /// Opens /dev/null in place of closed ones; without that, our next socket would get our output.
  ///
  /// Standard output cannot be written then: as with other programs, output that is lost is an error.
  package static func open() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // open(2) returns the lowest free number, which is this one.
      _ = Glibc.open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR)
      if descriptor == STDIN_FILENO { StandardInput.noteClosed() }
    }
  }

  /// True if standard input is a terminal of another job: reading from it would stop the process.
  package static var isInBackground: Bool {
    isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) != getpgrp()
  }
}

extension Promise {
  /// Waits for a value from standard input on the loop's thread; `read` takes input, and fulfils the promise.
  package func value(
    on loop: EventLoop, ifCancelled end: Value, reading read: @escaping () -> Void
  ) async -> Value {
    let source = loop.watch(STDIN_FILENO, for: .readable) { _ in read() }
    defer { loop.unwatch(source) }
    return await value(ifCancelled: end)
  }
}

extension Console {
  /// The console of this process; after a termination signal, it gives up on a reader that stopped reading.
  package convenience init(color: ColorMode) {
    self.init(color: color, waitLimit: { TerminationRequest.waitLimit })
  }
}
