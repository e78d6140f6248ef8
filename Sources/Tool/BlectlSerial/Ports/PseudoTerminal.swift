// SPDX-License-Identifier: MIT
package import AsyncIO
package import BlectlArguments
internal import CPlatform
internal import Glibc
package import TerminalOutput

/// A pseudo-terminal that programs open like a serial port, and a symbolic link that leads to it.
///
/// It holds the end for programs open, so that their coming and going neither ends it nor changes its mode. It has
/// no wires: the kernel accepts any speed, and refuses modem lines as for every pseudo-terminal.
package final class PseudoTerminal: SerialPort {
  /// The maximum number of unread bytes that the line discipline of a terminal holds.
  ///
  /// The kernel counts no others.
  private static let limit = 4095
  /// The time that written bytes may take to reach the line discipline.
  private static let settlingTime = Duration.milliseconds(10)
  /// The longest interval between checks of a full terminal, reached when nothing was read for long.
  private static let longestPause = Duration.milliseconds(100)

  /// Its own name, such as `/dev/pts/4`.
  package let path: String
  private let link: String?
  private let stream: ByteStream
  private let loop: EventLoop
  private let programEnd: Lock<Int32>
  /// The maximum number of unread bytes after the last write, and the time of that write.
  private let lastWrite = Lock((unread: 0, time: LoopClock.now))

  /// Opens a pseudo-terminal, and creates the link in place of an old one.
  ///
  /// - Throws: ``CommandError`` if the system has none, or a file that is not such a link is in its place.
  package init(link: String?, on loop: EventLoop) throws(CommandError) {
    var ends: [Int32] = [-1, -1]
    var name = [CChar](repeating: 0, count: 128)
    let status = casyncio_open_terminal(&ends, &name, name.count)
    guard status == 0 else {
      throw CommandError(
        status: .failed, message: "cannot open a pseudo-terminal: \(String(cString: strerror(-status)))")
    }
    path = Self.text(name[...])
    stream = ByteStream(adopting: OwnedDescriptor(adopting: ends[0]), on: loop)
    programEnd = Lock(ends[1])
    (self.link, self.loop) = (link, loop)
    if let link { try PseudoTerminal.place(link, to: path) }
  }

  deinit { closeProgramEnd() }

  /// Edits lines, echoes and translates signals, as a terminal for a person does.
  func becomeInteractive() {
    programEnd.withLock { end in
      var mode = termios()
      guard tcgetattr(end, &mode) == 0 else { return }
      mode.c_iflag |= tcflag_t(BRKINT | ICRNL | IXON)
      mode.c_oflag |= tcflag_t(OPOST | ONLCR)
      mode.c_lflag |= tcflag_t(ISIG | ICANON | IEXTEN | ECHO | ECHOE | ECHOK)
      tcsetattr(end, TCSANOW, &mode)
      var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
      _ = ioctl(end, UInt(TIOCSWINSZ), &size)
    }
  }

  package func read(_ most: Int) async -> [UInt8]? { await stream.read(most) }

  /// Ends reading with what programs have written by now.
  func endReading() { stream.endReading() }

  /// Writes what the line discipline has room for: what is beyond it waits here, for a program of later, and is counted.
  package func write(_ bytes: ArraySlice<UInt8>) async throws(ConsoleError) -> Int {
    var pause = Self.settlingTime
    var unread = unreadCount
    while unread >= Self.limit {
      do { try await loop.sleep(for: pause) } catch { throw .interrupted }
      unread = unreadCount
      pause = min(pause * 2, Self.longestPause)
    }
    let count = try await stream.writeSome(bytes.prefix(Self.limit - unread))
    lastWrite.exchange((unread + count, LoopClock.now))
    return count
  }

  package var endTime: Duration? { .seconds(2) }

  /// The number of written bytes that wait for a program to read them.
  package var unreadCount: Int {
    let written = lastWrite.withLock { $0 }
    let isOnTheWay = LoopClock.now - written.time < Self.settlingTime
    return programEnd.withLock { end in
      var count: Int32 = 0
      guard end >= 0, ioctl(end, UInt(FIONREAD), &count) == 0 else { return 0 }
      return isOnTheWay ? max(written.unread, Int(count)) : Int(count)
    }
  }

  /// Removes the link, if it still leads here, and hangs up.
  package func end() {
    if let link, PseudoTerminal.target(of: link) == path { unlink(link) }
    stream.close()
    closeProgramEnd()
  }

  private func closeProgramEnd() { if case let end = programEnd.exchange(-1), end >= 0 { close(end) } }

  /// Creates the link, in place of one that leads to a terminal, also to one of the past: any other is not ours.
  private static func place(_ link: String, to path: String) throws(CommandError) {
    if let target = target(of: link), target.hasPrefix("/dev/") { unlink(link) }
    guard symlink(path, link) != 0 else { return }
    let reason = errno == EEXIST ? "there is another file already" : String(cString: strerror(errno))
    throw CommandError(status: .failed, message: "cannot create the link \(link): \(reason)")
  }

  /// Returns the target of a symbolic link; nil if there is none.
  private static func target(of link: String) -> String? {
    var name = [CChar](repeating: 0, count: 4096)
    let count = readlink(link, &name, name.count)
    return count < 0 ? nil : text(name[..<count])
  }

  private static func text(_ name: ArraySlice<CChar>) -> String {
    name.withUnsafeBytes { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
