// SPDX-License-Identifier: MIT
internal import AsyncIO

/// One of the two outputs, and the properties of its reader.
package final class ConsoleStream: Sendable {
  /// True if a person reads it on a terminal.
  package let isTerminal: Bool

  package let style: Style

  private let currentSize: @Sendable () -> TerminalSize
  private let readiness: @Sendable () -> Bool
  private let availability: @Sendable () -> Bool
  private let sink: @Sendable (UnsafeRawBufferPointer) throws(ConsoleError) -> Void
  private let completion: @Sendable () -> Void

  /// The error that ended writing.
  ///
  /// Locked while writing, so that lines of two tasks never mix.
  private let ended = Lock<ConsoleError?>(nil)

  /// A stream with everything injected; the closures are called at each use, and the sink takes whole lines.
  init(
    isTerminal: Bool, isColored: Bool = false, size: @escaping @Sendable () -> TerminalSize = { .standard },
    readiness: @escaping @Sendable () -> Bool = { true },
    availability: @escaping @Sendable () -> Bool = { true },
    completion: @escaping @Sendable () -> Void = {},
    sink: @escaping @Sendable (UnsafeRawBufferPointer) throws(ConsoleError) -> Void
  ) {
    self.isTerminal = isTerminal
    self.style = Style(isEnabled: isColored)
    self.currentSize = size
    self.readiness = readiness
    self.availability = availability
    self.completion = completion
    self.sink = sink
  }

  /// The current size of the terminal; nil if the stream is not one.
  package var size: TerminalSize? {
    isTerminal ? currentSize() : nil
  }

  /// True if something could be written now; a terminal that Ctrl-S holds takes nothing.
  var isReady: Bool { readiness() }

  /// True if the terminal can be drawn on: not after Ctrl-Z or during a question.
  var isAvailable: Bool { availability() }

  /// True if the reader is gone, or the system refused; this never changes back.
  var hasEnded: Bool {
    ended.withLock { $0 != nil }
  }

  /// Waits until everything is written, before the process ends.
  func flush() { completion() }

  /// Writes bytes as they are, in one system call if the system takes them all; repeats an earlier error.
  func write(_ bytes: UnsafeRawBufferPointer) throws(ConsoleError) {
    try ended.withLock { (ended: inout ConsoleError?) throws(ConsoleError) in
      if let ended { throw ended }
      do throws(ConsoleError) {
        try sink(bytes)
      } catch {
        ended = error
        throw error
      }
    }
  }
}

extension ConsoleStream {
  func redirected(to sink: @escaping @Sendable ([UInt8]) -> Void) -> ConsoleStream {
    ConsoleStream(
      isTerminal: isTerminal, isColored: style.isEnabled, size: currentSize, readiness: readiness,
      availability: availability
    ) { bytes throws(ConsoleError) in sink(Array(bytes)) }
  }
}
