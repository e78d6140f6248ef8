// SPDX-License-Identifier: MIT

extension Console {
  /// A console whose data goes nowhere; notes are still printed.
  package var muted: Console {
    Console(output: ConsoleStream(isTerminal: false) { _ throws(ConsoleError) in }, errors: errors)
  }

  /// A console whose streams on the terminal go elsewhere: to what draws on the terminal as well.
  package func redirected(to sink: @escaping @Sendable ([UInt8]) -> Void) -> Console {
    Console(
      output: output.isTerminal ? output.redirected(to: sink) : output,
      errors: errors.isTerminal ? errors.redirected(to: sink) : errors)
  }

  /// A console that begins each line with a text: several devices print side by side, or data becomes comments.
  ///
  /// Neither of its streams is a terminal, so nothing draws on it.
  ///
  /// - Parameters:
  ///   - output: what lines of data begin with.
  ///   - errors: what notes begin with.
  /// - Returns: the console.
  package func prefixed(output: String, errors: String) -> Console {
    Console(
      output: self.output.prefixed(Array(output.utf8)), errors: self.errors.prefixed(Array(errors.utf8)))
  }
}

extension ConsoleStream {
  fileprivate func prefixed(_ prefix: [UInt8]) -> ConsoleStream {
    ConsoleStream(isTerminal: false) { bytes throws(ConsoleError) in
      var lines: [UInt8] = []
      lines.reserveCapacity(bytes.count + prefix.count)
      var rest = bytes[...]
      while !rest.isEmpty {
        let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? rest.endIndex
        lines += prefix
        lines += rest[..<end]
        rest = rest[end...]
      }
      var failure: ConsoleError?
      lines.withUnsafeBytes { bytes in
        do throws(ConsoleError) { try self.write(bytes) } catch { failure = error }
      }
      if let failure { throw failure }
    }
  }
}
