// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlectlArguments
internal import Glibc
internal import WebModel

/// A running `blectl-web`, and the socket to it.
final class WebProcess: Sendable {
  /// An answer from the process: a message, or its end.
  enum Answer: Sendable {
    case message(WebMessage)
    case ended
    case late
  }

  private let process: ChildProcess
  private let socket: Int32
  private let lines = Lock(LineBuffer())
  /// Held while a line is sent, by whichever thread.
  private let sending = Lock(false)

  /// The number of the socket in the child.
  private static let childDescriptor: Int32 = 3
  static let program = "blectl-web"

  /// Starts it; call on a thread that lives as long as the page, since the program dies with it.
  init(_ setup: WebSetup) throws(CommandError) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
    else {
      throw Self.failure(ErrorNumber(code: errno).description)
    }
    let theirs = OwnedDescriptor(adopting: ends[1])
    let ours = OwnedDescriptor(adopting: ends[0])
    let null = OwnedDescriptor(adopting: open("/dev/null", O_RDWR | O_CLOEXEC))
    var start = ProcessStart([Self.path])
    start.descriptors = [
      STDIN_FILENO: null.raw, STDOUT_FILENO: null.raw, STDERR_FILENO: null.raw,
      Self.childDescriptor: theirs.raw,
    ]
    // Ctrl-C at the terminal ends blectl, which ends it.
    (start.group, start.isBound) = (.own, true)
    start.environment = ["SWIFT_BACKTRACE": "enable=no"]
    do throws(ErrorNumber) {
      process = try start.start()
    } catch {
      if error.code == ENOENT {
        throw Self.failure(
          "\(Self.program) is neither beside blectl nor in PATH",
          hint: "install both programs: 'make install', or the Debian package")
      }
      throw Self.failure("cannot run \(Self.program): \(error)")
    }
    socket = ours.release()
  }

  deinit { close(socket) }

  static func failure(_ reason: String, hint: String? = nil) -> CommandError {
    CommandError(status: .failed, message: "cannot serve the page: \(reason)", hint: hint)
  }

  /// The program beside this one, else the one in PATH.
  private static var path: String {
    let own = ProgramPath.own
    guard let slash = own.lastIndex(of: "/") else { return program }
    let beside = String(own[...slash]) + program
    return access(beside, X_OK) == 0 ? beside : program
  }

  var hasEnded: Bool { process.hasEnded }

  /// Sends bytes at the speed of the reader, on the calling thread; returns false if it has ended, or `isOver` says so.
  func send(_ bytes: some Collection<UInt8>, isOver: () -> Bool) -> Bool {
    sending.withLock { _ in BlockingSocket.send(bytes, to: socket, unless: isOver) }
  }

  /// Waits for the next message, on the calling thread.
  func answer(until limit: ContinuousClock.Instant?, isOver: () -> Bool = { false }) -> Answer {
    while true {
      if let line = lines.withLock({ $0.next() }) {
        if let message = WebMessage(line: line) { return .message(message) }
        continue
      }
      if let limit, limit <= .now { return .late }
      if isOver() { return .late }
      guard let bytes = BlockingSocket.receive(from: socket, within: BlockingSocket.pause) else {
        return .ended
      }
      lines.withLock { $0.append(bytes) }
    }
  }

  /// Lets it send what clients have not read yet, for at most `limit`, and ends it.
  func end(within limit: Duration) {
    shutdown(socket, Int32(SHUT_WR))
    let end = ContinuousClock.now + limit
    while !process.hasEnded, .now < end { usleep(5000) }
    process.signal(SIGKILL)
    process.reap()
  }
}
