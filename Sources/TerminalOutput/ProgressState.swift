// SPDX-License-Identifier: MIT

/// Whether a progress line is on the terminal, to which several threads write.
struct ProgressState {
  /// Whether a line is there now.
  private(set) var isDrawn = false
  /// Whether a line is being written: it may be there already.
  private var isDrawing = false
  /// How many threads are writing something else.
  private var writers = 0

  /// Begins to write something else.
  ///
  /// - Returns: what to write before it, to remove the line.
  mutating func beginWriting() -> [UInt8] {
    writers += 1
    defer { isDrawn = false }
    return isDrawn || isDrawing ? Array(ProgressLine.clear.utf8) : []
  }

  mutating func endWriting() { writers -= 1 }

  /// Begins to write the line.
  ///
  /// - Returns: false when something else is being written, behind which the line would stay.
  mutating func beginDrawing() -> Bool {
    isDrawing = writers == 0
    return isDrawing
  }

  mutating func endDrawing() {
    isDrawing = false
    isDrawn = true
  }
}
