// SPDX-License-Identifier: MIT

/// Decides, from BlueZ's questions about pairing, which request requires it, and whether the link still
/// carries others.
///
/// BlueZ does not pass on that a device refuses a request until they are paired: it asks an agent whether to
/// pair. Refused, it neither repeats nor answers the request, and the kernel sends nothing more over the link.
/// A device may also ask for pairing by itself: its question stalls nothing.
struct OpenRequests {
  /// The fate of a request that BlueZ did not answer.
  enum Fate: Equatable {
    /// It requires pairing.
    case refused(PairingNeed)
    /// It waited behind one that requires pairing, and was not sent.
    case heldBack
    case unknown
  }

  /// The way in which a request ended.
  enum Ending {
    /// The device answered it.
    case answered
    case unanswered
    /// BlueZ refused to send it.
    case notSent
  }

  private struct Stall {
    let culprit: Int
    let need: PairingNeed
    let heldBack: Set<Int>
  }

  /// The time that a request may stay unanswered after a refused question before it counts as the cause.
  static let grace = Duration.milliseconds(500)

  /// In the order in which they were sent: BlueZ waits for one answer after the other.
  private var open: [Int] = []
  private var last = 0
  /// The last question about the link that was refused, unless a later answer shows that the link works.
  private var refused: PairingNeed?
  private var stall: Stall?
  /// True if the device has answered a request over the link.
  private(set) var hasAnswers = false

  /// True if the link carries no requests any more.
  var isStalled: Bool { stall != nil }

  /// The request that may be the cause of a refused question; nil if there is none.
  var suspect: Int? { refused == nil || isStalled ? nil : open.first }

  mutating func begin() -> Int {
    last += 1
    open.append(last)
    return last
  }

  /// Records that BlueZ asked whether to pair for this link, and was refused.
  mutating func refuse(_ need: PairingNeed) { if !isStalled { refused = need } }

  /// Handles the end of a suspect's grace period, and returns whether the link has now stalled.
  mutating func graceEnded(of request: Int) -> Bool {
    guard suspect == request, let refused else { return false }
    stall = Stall(culprit: request, need: refused, heldBack: Set(open.dropFirst()))
    return true
  }

  /// Records the end of a request, and returns its fate.
  ///
  /// A suspect that ends unanswered, at its deadline or with the link, stalls the link as well.
  mutating func end(_ request: Int, _ ending: Ending) -> Fate {
    if ending == .unanswered { _ = graceEnded(of: request) }
    open.removeAll { $0 == request }
    if ending == .answered { hasAnswers = true }
    if ending == .answered, !isStalled { refused = nil }
    guard ending == .unanswered, let stall else { return .unknown }
    if stall.culprit == request { return .refused(stall.need) }
    return stall.heldBack.contains(request) ? .heldBack : .unknown
  }

  /// Records that another link is used from now on, or none.
  mutating func linkReplaced() { (refused, stall, hasAnswers) = (nil, nil, false) }
}
