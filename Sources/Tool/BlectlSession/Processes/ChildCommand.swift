// SPDX-License-Identifier: MIT
package import AsyncIO
package import BlectlArguments
internal import Glibc
internal import TerminalOutput

/// A child process that a command waits for; our own end ends it.
package struct ChildCommand: Sendable {
  package let process: ChildProcess

  /// Starts a command with `environment` added to ours, and our input if `input` is nil.
  package init(
    _ arguments: [String], environment: [String: String], input: Int32? = nil,
    group: ProcessStart.Group = .shared
  ) throws(CommandError) {
    var start = ProcessStart(arguments)
    start.environment = environment
    if let input { start.descriptors[STDIN_FILENO] = input }
    start.group = group
    do throws(ErrorNumber) {
      process = try start.start()
    } catch {
      throw CommandError(status: .failed, message: "cannot run \(arguments[0]): \(error)")
    }
    RunningChildren.add(process)
  }

  /// Checks that a program can be started, before anything is done for it.
  ///
  /// - Throws: ``CommandError``, as the start would.
  package static func check(_ program: String) throws(CommandError) {
    let folders =
      program.contains("/") ? [""] : Console.environment("PATH")?.split(separator: ":").map { "\($0)/" }
    guard let folders else { return }
    if folders.contains(where: { access($0 + program, X_OK) == 0 }) { return }
    throw CommandError(
      status: .failed, message: "cannot run \(program): \(String(cString: strerror(errno)))")
  }

  /// The signal that asks a command to end.
  package enum EndingSignal: Sendable {
    case terminate
    /// That of a closed terminal, which a shell passes on to its jobs; interactive shells ignore SIGTERM.
    ///
    /// The kernel has sent it with the end of the terminal, so it is repeated only for a command that is still there a moment
    /// later. A second one at once makes bash terminate inside of its signal handler, where it may wait for ever.
    case hangUp
  }

  /// The time for a command to end with its terminal.
  private static let timeToHangUp = Duration.milliseconds(200)

  /// Waits for its end; cancellation sends the ending signal, and SIGKILL after `limit` (nil never sends it).
  package func wait(
    on loop: EventLoop, limit: Duration? = nil, endingWith signal: EndingSignal = .terminate
  ) async throws -> ChildProcess.Ending {
    let request = Lock<Request?>(nil)
    // The loop keeps running, so a second signal is handled however long the command takes to end.
    let ending = await withTaskCancellationHandler {
      await process.end(on: loop)
    } onCancel: {
      if signal == .terminate { process.signal(SIGTERM) }
      request.withLock { $0 = Request(process, limit: limit, hangsUp: signal == .hangUp, loop) }
    }
    let requested = request.withLock(\.self)
    requested?.hangUp?.cancel()
    requested?.killing?.cancel()
    if let deadline = requested?.deadline {
      // This task is cancelled and cannot sleep.
      await Task(executorPreference: loop) { await endOrphans(by: deadline, on: loop) }.value
    }
    RunningChildren.remove(process)
    if requested != nil { throw CancellationError() }
    return ending
  }

  private struct Request {
    let deadline: ContinuousClock.Instant?
    let hangUp: RemoteTimer?
    let killing: RemoteTimer?

    init(_ process: ChildProcess, limit: Duration?, hangsUp: Bool, _ loop: EventLoop) {
      deadline = limit.map { LoopClock.now + $0 }
      hangUp =
        hangsUp
        ? RemoteTimer(loop, at: LoopClock.now + ChildCommand.timeToHangUp) { process.signal(SIGHUP) } : nil
      killing = deadline.map { RemoteTimer(loop, at: $0) { process.signal(SIGKILL) } }
    }
  }

  /// Waits until its children, which also got the signal, have ended; kills the rest at the deadline.
  private func endOrphans(by deadline: ContinuousClock.Instant, on loop: EventLoop) async {
    var pause = Duration.milliseconds(1)
    while process.hasOrphans, LoopClock.now < deadline {
      try? await loop.sleep(for: pause)
      pause *= 2
    }
    process.killOrphans()
  }
}
