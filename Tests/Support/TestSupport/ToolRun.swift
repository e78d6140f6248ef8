// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Dispatch
package import Glibc

/// The output and the status of a finished program.
package struct ToolResult: Sendable {
  package var output: [UInt8]
  package var errors: [UInt8]
  /// The exit status; nil when a signal ended it.
  package var status: Int32?
  /// The signal that ended it.
  package var signal: Int32?

  package var text: String { String(decoding: output, as: UTF8.self) }
  package var errorText: String { String(decoding: errors, as: UTF8.self) }
  /// The lines of the output.
  package var lines: [String] { text.split(separator: "\n").map(String.init) }
}

/// A program under test, with its standard streams in our hands.
package final class ToolRun: Sendable {
  private struct State {
    var output: [UInt8] = []
    var errors: [UInt8] = []
    var openStreams = 2
    var status: Int32?
    var waiters: [(isMet: @Sendable (State) -> Bool, promise: Promise<Bool>)] = []

    /// Lets virtual time go on, once: nil afterwards, and where time is real.
    var held = VirtualTime.current

    var isOver: Bool { status != nil && openStreams == 0 }

    mutating func changed() {
      let looked = waiters.map { ($0, $0.isMet(self)) }
      for (waiter, isMet) in looked where isMet || isOver { waiter.promise.fulfil(isMet) }
      waiters = looked.filter { !$0.1 && !isOver }.map(\.0)
      if isOver, let time = held {
        held = nil
        time.holdsChanged(by: -1)
      }
    }
  }

  private let state = Lock(State())
  package let process: pid_t
  private let input: Int32
  private let outputEnd: Int32

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: the program.
  ///   - arguments: its arguments, without its own name.
  ///   - environment: variables added to ours; nil values are taken out.
  ///   - input: what it reads from standard input, which is then closed; nil leaves it open for ``send(input:)``.
  ///   - limit: after this long it is killed: a test that hangs fails.
  /// - Throws: when there is no such program.
  package init(
    _ path: String, _ arguments: [String], environment: [String: String?] = [:], input: [UInt8]? = [],
    limit: Duration = .seconds(180)
  ) throws {
    let (inputs, outputs, errors) = try ToolRun.starting.withLock { _ in
      try (ToolRun.closedPipe(), ToolRun.closedPipe(), ToolRun.closedPipe())
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (from, to) in [(inputs[0], 0), (outputs[1], 1), (errors[1], 2)] {
      posix_spawn_file_actions_adddup2(&actions, from, Int32(to))
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    sigfillset(&defaults)
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    var process = pid_t()
    let words = ToolRun.environment(environment)
    let status = ToolRun.withArray([path] + arguments) { argv in
      ToolRun.withArray(words) { envp in
        ToolRun.starting.withLock { _ in posix_spawn(&process, path, &actions, &attributes, argv, envp) }
      }
    }
    for descriptor in [inputs[0], outputs[1], errors[1]] { close(descriptor) }
    guard status == 0 else { throw ToolError.cannotRun(path, status) }
    // It lives by real time.
    state.withLock { $0.held }?.holdsChanged(by: 1)
    self.process = process
    self.input = inputs[1]
    outputEnd = outputs[0]
    signal(SIGPIPE, SIG_IGN)
    if let input {
      _ = input.withUnsafeBytes { write(inputs[1], $0.baseAddress, $0.count) }
      close(inputs[1])
    }
    follow(outputs[0]) { $0.output += $1 }
    follow(errors[0]) { $0.errors += $1 }
    awaitEnd(limit)
  }

  /// Held while a pipe is made or a program started: no program inherits the pipes of another.
  private static let starting = Lock(false)

  /// A pipe that a program does not inherit, unless it is copied for it.
  private static func closedPipe() throws(ToolError) -> [Int32] {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw .noPipe }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return ends
  }

  private static func environment(_ changes: [String: String?]) -> [String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let parts = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
      entry += 1
    }
    for (name, value) in changes { variables[name] = value }
    return variables.map { "\($0)=\($1)" }
  }

  private static func withArray<Result>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
  ) -> Result {
    var pointers: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else {
        preconditionFailure("an array with an element has an address")
      }
      return body(base)
    }
  }

  private func follow(
    _ descriptor: Int32, _ append: @escaping @Sendable (inout State, ArraySlice<UInt8>) -> Void
  ) {
    Thread.detach { [state] in
      var buffer = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        let isOver = count <= 0
        let part = buffer[..<max(0, count)]
        state.withLock { state in
          if isOver { state.openStreams -= 1 } else { append(&state, part) }
          state.changed()
        }
        if isOver { break }
      }
      close(descriptor)
    }
  }

  private func awaitEnd(_ limit: Duration) {
    let process = process
    let guardian = EventLoop.shared.killing(process, after: limit)
    Thread.detach { [state] in
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      guardian.cancel()
      state.withLock { state in
        state.status = status
        state.changed()
      }
    }
  }

  // MARK: While it runs

  package func send(signal number: Int32) { kill(process, number) }

  /// Whether it has not ended yet.
  package var isRunning: Bool { state.withLock { $0.status == nil } }

  /// Writes to its standard input, and leaves it open.
  package func add(input bytes: [UInt8]) {
    _ = bytes.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
  }

  /// Writes to its standard input, and closes it.
  package func send(input bytes: [UInt8]) {
    add(input: bytes)
    close(input)
  }

  /// Waits until the output so far fulfils a condition.
  ///
  /// - Returns: false when the program ended first.
  package func waitForOutput(_ condition: @escaping @Sendable (String) -> Bool) async -> Bool {
    await wait { condition(String(decoding: $0.output, as: UTF8.self)) }
  }

  /// Waits until there are that many lines of output.
  package func waitForLines(_ count: Int) async -> Bool {
    await wait { state in state.output.lazy.filter { $0 == UInt8(ascii: "\n") }.count >= count }
  }

  /// Waits until there are that many bytes of output.
  package func waitForBytes(_ count: Int) async -> Bool { await wait { $0.output.count >= count } }

  /// Waits until standard error fulfils a condition.
  package func waitForErrors(_ condition: @escaping @Sendable (String) -> Bool) async -> Bool {
    await wait { condition(String(decoding: $0.errors, as: UTF8.self)) }
  }

  private func wait(_ isMet: @escaping @Sendable (State) -> Bool) async -> Bool {
    let promise = Promise<Bool>()
    state.withLock { state in
      if isMet(state) || state.isOver {
        promise.fulfil(isMet(state))
      } else {
        state.waiters.append((isMet, promise))
      }
    }
    return await promise.value
  }

  /// The output until now.
  package func outputSoFar() async -> [UInt8] { state.withLock { $0.output } }

  /// The text on standard error until now.
  package func errorsSoFar() async -> String {
    String(decoding: state.withLock { $0.errors }, as: UTF8.self)
  }

  /// Waits for the end.
  package func result() async -> ToolResult {
    _ = await wait { $0.isOver }
    return state.withLock { state in
      let status = state.status ?? 0
      let isExit = status & 0x7f == 0
      return ToolResult(
        output: state.output, errors: state.errors, status: isExit ? status >> 8 & 0xff : nil,
        signal: isExit ? nil : status & 0x7f)
    }
  }
}

package enum ToolError: Error {
  case noPipe
  case noFile(Int32)
  case cannotRun(String, Int32)
}

extension EventLoop {
  /// Kills a process that takes too long.
  fileprivate func killing(_ process: pid_t, after limit: Duration) -> RemoteTimer {
    RemoteTimer(self, at: LoopClock.now + limit) { kill(process, SIGKILL) }
  }
}

/// Threads for blocking system calls: the cooperative pool must not be blocked.
enum Thread {
  static func detach(_ body: @escaping @Sendable () -> Void) {
    DispatchQueue(label: "tool").async(execute: DispatchWorkItem(block: body))
  }
}
