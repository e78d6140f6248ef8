// SPDX-License-Identifier: MIT
internal import DBus
internal import Glibc

/// A command run beside us, with our standard streams and a few more variables.
struct ChildCommand {
  enum Ending: Equatable {
    case exited(Int32)
    case signalled(Int32)
  }

  private static let pollingTime = Duration.milliseconds(10)

  private let process: pid_t

  /// - Throws: ``CommandError`` when there is no such program.
  init(_ arguments: [String], environment: [String: String]) throws(CommandError) {
    for (name, value) in environment { setenv(name, value, 1) }
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // SIGPIPE is ignored here; a child must not inherit that.
    var defaults = sigset_t()
    sigemptyset(&defaults)
    sigaddset(&defaults, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var process = pid_t()
    let status = posix_spawnp(&process, arguments[0], nil, &attributes, pointers, environ)
    guard status == 0 else {
      throw CommandError(
        status: .failed, message: "cannot run \(arguments[0]): \(String(cString: strerror(status)))")
    }
    self.process = process
  }

  /// Waits for its end; when the task is cancelled, ends it first with SIGTERM.
  func wait(on loop: EventLoop) async throws -> Ending {
    while true {
      var status: Int32 = 0
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process {
        return status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .signalled(status & 0x7f)
      }
      do {
        try await loop.sleep(for: ChildCommand.pollingTime)
      } catch {
        kill(process, SIGTERM)
        _ = waitpid(process, &status, 0)
        throw error
      }
    }
  }
}
