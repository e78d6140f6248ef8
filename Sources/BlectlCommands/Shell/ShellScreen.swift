// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import TerminalOutput

/// Takes what commands print, on any thread, and shows it above the line that is being typed.
final class ShellScreen: Sendable {
  private let loop: EventLoop
  private let waiting = Lock<[UInt8]>([])
  private let source: any LineSource

  init(on loop: EventLoop, _ source: any LineSource) {
    self.loop = loop
    self.source = source
  }

  func take(_ bytes: [UInt8]) {
    waiting.withLock { $0 += bytes }
    if loop.isCurrent { flush() } else { loop.submit { self.flush() } }
  }

  private func flush() {
    let bytes = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    if !bytes.isEmpty { source.show(bytes) }
  }
}
