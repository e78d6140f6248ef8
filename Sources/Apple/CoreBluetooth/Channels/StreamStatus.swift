// SPDX-License-Identifier: MIT
internal import BlueZClient
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
  /// True if the program knows that the stream is ready, and has not used it since.
  private var isReadyReported = false
  private var isEndReported = false
  /// True if the channel has ended, which a reader learns after the last byte.
  private(set) var hasEnded = false
  private(set) var error: BLEError?
  /// The error of a write after the end.
  private var lateWrite: BLEError?
  /// True if the program has come to the end.
  private var isAtEnd = false

  var isOpen: Bool { phase == .open }
  var isWritable: Bool { isOpen && !hasEnded }

  /// The status in Foundation's terms.
  var status: Stream.Status {
    switch phase {
    case .notOpen: .notOpen
    case .closed: .closed
    case .open: !isAtEnd ? .open : lastError == nil ? .atEnd : .error
    }
  }

  /// The error of the stream, as Foundation reports it.
  var lastError: BLEError? { error ?? lateWrite }

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

  /// Records that the program wrote to a channel that has ended: from then on, the stream has an error.
  mutating func failAtEnd(of channel: L2CAPChannel) {
    guard isOpen, hasEnded, lastError == nil else { return }
    lateWrite = BLEError(
      .disconnected, during: .useChannel(psm: channel.psm, of: channel.peer), "the channel has ended")
  }

  // MARK: Events

  /// Records that the program uses the stream, and waits for the next event.
  mutating func used() { isReadyReported = false }

  /// Returns an event that the program does not know yet, and notes that it does; `ready` is the event of a stream that
  /// can be used (`isReady`).
  mutating func nextEvent(_ ready: Stream.Event, isReady: Bool) -> Stream.Event? {
    guard isOpen else { return nil }
    if !isOpeningReported {
      isOpeningReported = true
      return .openCompleted
    }
    if isReady {
      defer { isReadyReported = true }
      return isReadyReported ? nil : ready
    }
    guard hasEnded, !isEndReported else { return nil }
    (isEndReported, isAtEnd) = (true, true)
    return error == nil ? .endEncountered : .errorOccurred
  }
}
