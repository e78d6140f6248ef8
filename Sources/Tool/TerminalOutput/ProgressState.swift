// SPDX-License-Identifier: MIT

/// The state of the progress line on the terminal, to which several threads write.
struct ProgressState {
  private(set) var isDrawn = false
  /// True if a line is being written, and may already be visible.
  private var isDrawing = false
  /// The number of threads that are writing something else.
  private var writers = 0

  /// Begins to write something else; returns the bytes to write before it, to remove the line.
  mutating func beginWriting() -> [UInt8] {
    writers += 1
    defer { isDrawn = false }
    return isDrawn || isDrawing ? Array(ProgressLine.clear.utf8) : []
  }

  mutating func endWriting() { writers -= 1 }

  /// Begins to write the line; returns false while other output is written, after which the line would stay.
  mutating func beginDrawing() -> Bool {
    isDrawing = writers == 0
    return isDrawing
  }

  mutating func endDrawing() {
    isDrawing = false
    isDrawn = true
  }
}
