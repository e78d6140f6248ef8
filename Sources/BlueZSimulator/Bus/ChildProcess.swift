// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import CSpawn
internal import Glibc

/// A child process, which never outlives this process (see CSpawn.h).
final class ChildProcess: Sendable {
  /// Nil once the child is reaped.
  private let running: Lock<pid_t?>

  private init(_ pid: pid_t) { running = Lock(pid) }

  deinit { killNow() }

  /// Starts a program; call on a thread that lives as long as the process.
  ///
  /// `report` becomes the child's descriptor 3, `errors` its standard error.
  static func start(
    _ program: String, arguments: [String], report: Int32, errors: Int32
  ) -> Result<ChildProcess, ErrorNumber> {
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    words.append(nil)
    let pid = cspawn_start(program, words, report, errors)
    return pid > 0 ? .success(ChildProcess(pid)) : .failure(ErrorNumber(code: -pid))
  }

  /// Whether the child has ended; reaps it if so.
  var hasEnded: Bool {
    running.withLock { running in
      guard let pid = running else { return true }
      let result = waitpid(pid, nil, WNOHANG)
      if result == pid || (result < 0 && errno == ECHILD) { running = nil }
      return running == nil
    }
  }

  /// Blocks until the child ends, and reaps it.
  func waitForEnd() {
    guard let pid = running.withLock({ $0 }) else { return }
    while waitpid(pid, nil, 0) < 0, errno == EINTR {}
    running.withLock { $0 = nil }
  }

  func terminate() { running.withLock { if let pid = $0 { _ = kill(pid, SIGTERM) } } }

  func killNow() {
    running.withLock { running in
      guard let pid = running else { return }
      kill(pid, SIGKILL)
      while waitpid(pid, nil, 0) < 0, errno == EINTR {}
      running = nil
    }
  }
}

struct ErrorNumber: Error, CustomStringConvertible {
  let code: Int32
  var description: String { String(cString: strerror(code)) }
}
