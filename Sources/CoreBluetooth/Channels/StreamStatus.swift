// SPDX-License-Identifier: MIT
internal import BLECore
internal import Foundation

/// The state of a stream, and which of its changes the program knows.
struct StreamStatus {
  enum Phase {
    case notOpen
    case open
    case closed
  }

  private(set) var phase = Phase.notOpen
  private var isOpeningReported = false
  private var isEndReported = false
  /// Whether the channel has ended, which a reader learns after the last byte.
  private(set) var hasEnded = false
  private(set) var error: BLEError?
  /// Whether the program has come to the end.
  private var isAtEnd = false

  var isOpen: Bool { phase == .open }
  var isWritable: Bool { isOpen && !hasEnded }

  /// What Foundation calls it.
  var status: Stream.Status {
    switch phase {
    case .notOpen: .notOpen
    case .closed: .closed
    case .open: !isAtEnd ? .open : error == nil ? .atEnd : .error
    }
  }

  /// Opens the stream; returns false if it was open before.
  mutating func open() -> Bool {
    guard phase == .notOpen else { return false }
    phase = .open
    return true
  }

  /// Closes the stream; returns what it was before.
  mutating func close() -> Phase {
    defer { phase = .closed }
    return phase
  }

  mutating func end(_ error: BLEError?) {
    guard !hasEnded else { return }
    (hasEnded, self.error) = (true, error)
  }

  mutating func reachEnd() { isAtEnd = true }

  // MARK: Events

  mutating func takeOpening() -> Bool {
    guard isOpen, !isOpeningReported else { return false }
    isOpeningReported = true
    return true
  }

  mutating func takeEnd() -> Stream.Event? {
    guard isOpen, hasEnded, !isEndReported else { return nil }
    (isEndReported, isAtEnd) = (true, true)
    return error == nil ? .endEncountered : .errorOccurred
  }
}
