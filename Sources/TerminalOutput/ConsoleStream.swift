// SPDX-License-Identifier: MIT
internal import AsyncIO

/// One of the two outputs: where its bytes go, and what is known about who reads them.
package final class ConsoleStream: Sendable {
  /// Whether a person looks at it through a terminal.
  package let isTerminal: Bool

  /// Draws in colour, or does not.
  package let style: Style

  private let currentSize: @Sendable () -> TerminalSize
  private let readiness: @Sendable () -> Bool
  private let availability: @Sendable () -> Bool
  private let sink: @Sendable (UnsafeRawBufferPointer) throws(ConsoleError) -> Void
  private let completion: @Sendable () -> Void

  /// Why writing ended, once it has; held while writing, so that lines of two tasks never mix.
  private let ended = Lock<ConsoleError?>(nil)

  /// A stream with everything injected.
  ///
  /// - Parameters:
  ///   - isTerminal: whether it is a terminal.
  ///   - isColored: whether it is drawn in colour.
  ///   - size: the size of the terminal, asked for at each use.
  ///   - readiness: whether a write would not have to wait; asked for at each use.
  ///   - availability: whether the terminal is free to be drawn on; asked for at each use.
  ///   - completion: waits until what the sink has taken is written.
  ///   - sink: takes the bytes of whole lines.
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

  /// The size of the terminal now, or nil when the stream is not one.
  package var size: TerminalSize? {
    isTerminal ? currentSize() : nil
  }

  /// Whether something could be written now; a terminal that is held with Ctrl-S takes nothing.
  var isReady: Bool { readiness() }

  /// Whether the terminal can be drawn on: not while Ctrl-Z or a question has taken it away.
  var isAvailable: Bool { availability() }

  /// Whether the reader has gone, or the system refused; it stays so.
  var hasEnded: Bool {
    ended.withLock { $0 != nil }
  }

  /// Waits until everything is written, before the process ends.
  func flush() { completion() }

  /// Writes bytes as they are, in one system call where the system takes them all.
  ///
  /// - Throws: the same error for ever, after the first one.
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
  /// The stream with another destination for its bytes.
  func redirected(to sink: @escaping @Sendable ([UInt8]) -> Void) -> ConsoleStream {
    ConsoleStream(
      isTerminal: isTerminal, isColored: style.isEnabled, size: currentSize, readiness: readiness,
      availability: availability
    ) { bytes throws(ConsoleError) in sink(Array(bytes)) }
  }
}
