// SPDX-License-Identifier: MIT
package import AsyncIO
internal import Glibc

/// The keys that are pressed on the terminal of standard input, one by one and without echo.
///
/// Ctrl-C, Ctrl-Z and similar keys remain signals. While the process is in the background, or a question has
/// the terminal, nothing is read. Used only on the loop's thread.
package final class Keyboard {
  /// The time limit for the rest of a sequence to follow its ESC.
  private static let escapeTime = Duration.milliseconds(100)
  /// The interval at which a background process checks whether it has the terminal again: a shell need not
  /// signal that.
  private static let restTime = Duration.milliseconds(250)

  private let loop: EventLoop
  private let handler: ([Key]) -> Void
  private var decoder = KeyDecoder()
  private var source: SourceID?
  private var timer: TimerID?

  package static var isPossible: Bool { isatty(STDIN_FILENO) == 1 }

  private init(on loop: EventLoop, _ handler: @escaping ([Key]) -> Void) {
    self.loop = loop
    self.handler = handler
  }

  /// Takes keys until a promise is fulfilled, or the task is cancelled.
  package static func read(
    on loop: EventLoop, until end: Promise<Void>, _ handler: @escaping @Sendable ([Key]) -> Void
  ) async {
    let keyboard = Keyboard(on: loop, handler)
    keyboard.begin()
    await end.value(ifCancelled: ())
    keyboard.end()
  }

  private func begin() {
    loop.checkIsolated()
    TerminalRestorer.beginKeys()
    watch()
  }

  private func end() {
    loop.checkIsolated()
    stopWatching()
    cancelTimer()
    TerminalRestorer.endKeys()
  }

  private func watch() {
    source = loop.watch(STDIN_FILENO, for: .readable) { [weak self] _ in self?.read() }
  }

  private func stopWatching() {
    if let source { loop.unwatch(source) }
    source = nil
  }

  private func read() {
    guard TerminalRestorer.claim(), TerminalRestorer.canReadKeys else { return rest() }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
    if count > 0 {
      deliver(decoder.keys(buffer[..<count]))
    } else if count == 0 || (errno != EINTR && errno != EAGAIN), hasHungUp {
      stopWatching()
    }
  }

  private var hasHungUp: Bool {
    var entry = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) != 1 || entry.revents & Int16(POLLHUP | POLLERR | POLLNVAL) != 0
  }

  private func deliver(_ keys: [Key]) {
    cancelTimer()
    if decoder.mayBeEscape {
      schedule(after: Keyboard.escapeTime) { keyboard in keyboard.deliver(keyboard.decoder.pause()) }
    }
    if !keys.isEmpty { handler(keys) }
  }

  /// Reads nothing until the terminal is ours again.
  private func rest() {
    stopWatching()
    decoder = KeyDecoder()
    schedule(after: Keyboard.restTime) { keyboard in
      if TerminalRestorer.claim(), TerminalRestorer.canReadKeys { keyboard.watch() } else { keyboard.rest() }
    }
  }

  private func schedule(after time: Duration, _ action: @escaping (Keyboard) -> Void) {
    cancelTimer()
    timer = loop.schedule(at: LoopClock.now + time) { [weak self] in
      guard let self else { return }
      timer = nil
      action(self)
    }
  }

  private func cancelTimer() {
    if let timer { loop.cancel(timer) }
    timer = nil
  }
}
