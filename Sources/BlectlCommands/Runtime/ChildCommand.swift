// SPDX-License-Identifier: MIT
internal import DBus
internal import Glibc

/// A command run beside us, with our standard streams, or an input of its own, and a few more variables.
struct ChildCommand {
  enum Ending: Equatable {
    case exited(Int32)
    case signalled(Int32)
  }

  private static let pollingTime = Duration.milliseconds(10)

  private let process: pid_t

  /// Starts a command.
  ///
  /// - Parameters:
  ///   - arguments: the program and what it is given.
  ///   - environment: variables that it has beside, or instead of, ours.
  ///   - input: a descriptor that becomes its standard input; nil leaves it ours.
  /// - Throws: ``CommandError`` when there is no such program.
  init(_ arguments: [String], environment: [String: String], input: Int32? = nil) throws(CommandError) {
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    var variables = ChildCommand.variables(environment).map { strdup($0) } + [nil]
    defer { for pointer in pointers + variables { free(pointer) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input { posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO) }
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
    let status = posix_spawnp(&process, arguments[0], &actions, &attributes, &pointers, &variables)
    guard status == 0 else {
      throw CommandError(
        status: .failed, message: "cannot run \(arguments[0]): \(String(cString: strerror(status)))")
    }
    self.process = process
  }

  /// Our environment with these in it.
  private static func variables(_ changes: [String: String]) -> [String] {
    var variables: [String] = []
    var entry = environ
    while let text = entry.pointee {
      let variable = String(cString: text)
      if changes[String(variable.prefix { $0 != "=" })] == nil { variables.append(variable) }
      entry += 1
    }
    return variables + changes.map { "\($0.key)=\($0.value)" }
  }

  /// Waits for its end; when the task is cancelled, ends it first with SIGTERM.
  ///
  /// - Parameters:
  ///   - loop: where to wait.
  ///   - patience: how long after SIGTERM it is ended with SIGKILL; nil is never.
  /// - Returns: how it ended.
  /// - Throws: when the task was cancelled, after its end.
  func wait(on loop: EventLoop, patience: Duration? = nil) async throws -> Ending {
    while true {
      var status: Int32 = 0
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process {
        return status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .signalled(status & 0x7f)
      }
      do {
        try await loop.sleep(for: ChildCommand.pollingTime)
      } catch {
        end(patience)
        throw error
      }
    }
  }

  /// Ends it, and blocks until it has ended: the task that waited for it is cancelled, and cannot sleep.
  private func end(_ patience: Duration?) {
    var status: Int32 = 0
    kill(process, SIGTERM)
    if let patience {
      let deadline = ContinuousClock.now + patience
      while waitpid(process, &status, WNOHANG) == 0 {
        if ContinuousClock.now >= deadline {
          kill(process, SIGKILL)
          break
        }
        usleep(2000)
      }
    }
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }
}
