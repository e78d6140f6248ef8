// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import CSpawn
internal import Glibc

/// Waits for the end of a child.
enum ProcessEnd {
  /// Waits until a child has ended, and leaves it to be reaped.
  ///
  /// - Parameters:
  ///   - process: a child that was not reaped.
  ///   - loop: where to wait.
  ///   - watch: makes a descriptor that becomes readable at the end of the process, or returns the negated `errno`.
  static func wait(
    for process: pid_t, on loop: EventLoop, watch: @escaping @Sendable (pid_t) -> Int32 = cspawn_watch
  ) async {
    let end = Promise<Void>()
    loop.submit {
      let descriptor = watch(process)
      // Linux before 5.3, or no descriptor is free.
      guard descriptor >= 0 else { return block(until: process, then: end) }
      var source: SourceID?
      source = loop.watch(descriptor, for: .readable) { _ in
        if let source { loop.unwatch(source) }
        close(descriptor)
        end.fulfil(())
      }
    }
    await end.value
  }

  private static func block(until process: pid_t, then end: Promise<Void>) {
    WorkerThread.start {
      var information = siginfo_t()
      while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
      end.fulfil(())
    }
  }
}
