// SPDX-License-Identifier: MIT
internal import CPlatform
internal import Glibc

enum ProcessEnd {
  /// Waits until a child ends, without reaping it; `watch` returns a descriptor readable then, or -`errno`.
  static func wait(
    for process: pid_t, on loop: EventLoop, watch: @escaping @Sendable (pid_t) -> Int32 = cspawn_watch
  ) async {
    let end = Promise<Void>()
    loop.submit {
      let descriptor = watch(process)
      // Linux before 5.3, or no free descriptor.
      guard descriptor >= 0 else {
        return WorkerThread.start {
          block(until: process)
          end.fulfil(())
        }
      }
      var source: SourceID?
      source = loop.watch(descriptor, for: .readable) { _ in
        if let source { loop.unwatch(source) }
        close(descriptor)
        end.fulfil(())
      }
    }
    await end.value
  }

  /// Blocks until a child ends, without reaping it.
  static func block(until process: pid_t) {
    var information = siginfo_t()
    while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
  }
}
