// SPDX-License-Identifier: MIT
internal import AsyncIO

/// The turns of Connect on one adapter, which makes one connection at a time; confined to the manager.
///
/// A connection to a device that was not heard is a guess: it may use all of its time and fail, and scans pause meanwhile.
/// It gives way when anyone else needs the radio, and is rare while others do.
final class ConnectTurns {
  private let turn = AsyncMutex()
  /// The number of tasks that listen for their devices.
  private var listeners = 0
  private var isGuessing = false
  /// Ends the Connect of the guess that is under way, as soon as it has had its time.
  private var endGuess: (() -> Void)?
  /// The earliest time of the next guess while others need the radio.
  private var nextGuess: ContinuousClock.Instant?

  /// The time limit for a guess while others need the radio.
  ///
  /// A device in range usually connects within this time.
  private static let guessTime = Duration.seconds(1)
  /// The time from the end of a guess to the next one, while others need the radio.
  private static let timeBetweenGuesses = Duration.seconds(5)

  /// True if others wait for their turn, or listen for their devices.
  var isContended: Bool { turn.hasWaiters || listeners > 0 }

  // MARK: Turns

  /// Waits for the task's turn, on the loop's thread; returns false at the deadline or when cancelled.
  func take(until deadline: Deadline, on loop: EventLoop) async -> Bool {
    endGuess?()
    return await turn.take(until: deadline, on: loop)
  }

  /// Waits for the task's turn in an operation; throws `cancelled`, or `timedOut` with a message.
  func take(
    for operation: Operation, on loop: EventLoop, orFailWith message: String
  ) async throws(BLEError) {
    endGuess?()
    try await turn.take(for: operation, on: loop, orFailWith: message)
  }

  func release() { turn.release() }

  // MARK: Guesses

  /// Begins to guess, unless that would delay others; returns whether it did.
  func beginGuessing(at now: ContinuousClock.Instant) -> Bool {
    guard !isGuessing, turn.isFree, listeners == 0 || nextGuess.map({ $0 <= now }) ?? true else {
      return false
    }
    isGuessing = true
    return true
  }

  func endGuessing(at now: ContinuousClock.Instant) {
    isGuessing = false
    nextGuess = now + ConnectTurns.timeBetweenGuesses
  }

  /// Handles the call of Connect by a guess, in its task's turn.
  ///
  /// `end` runs as soon as the guess has had its time and others need the radio.
  func guessCalls(on loop: EventLoop, _ end: @escaping () -> Void) {
    let earliest = LoopClock.now + ConnectTurns.guessTime
    endGuess = { [weak self] in
      self?.endGuess = nil
      _ = loop.schedule(at: earliest, end)
    }
    if isContended { endGuess?() }
  }

  func guessIsAnswered() { endGuess = nil }

  // MARK: Listening

  func beginListening() {
    listeners += 1
    endGuess?()
  }

  func endListening() { listeners -= 1 }
}
