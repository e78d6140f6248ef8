// SPDX-License-Identifier: MIT

/// The commands that were taken, by their ids, so that none is carried out twice: the last ones, in bounded memory.
struct CommandMemory {
  struct Key: Hashable {
    let topic: CommandTopic
    let id: String
  }

  enum Knowledge {
    /// It was not taken before, and is now.
    case new
    case underWay
    case answered(BrokerMessage)
  }

  private var answers: [Key: BrokerMessage?] = [:]
  /// In the order in which they came, from `first` on.
  private var order: [Key] = []
  private var first = 0
  private let limit: Int

  init(limit: Int = 10_000) { self.limit = limit }

  /// Takes a command, unless it was taken.
  mutating func take(_ key: Key) -> Knowledge {
    switch answers[key] {
    case .some(.some(let answer)): return .answered(answer)
    case .some(nil): return .underWay
    case nil: break
    }
    answers[key] = .some(nil)
    order.append(key)
    forgetOldest()
    return .new
  }

  mutating func answer(_ key: Key, _ message: BrokerMessage) { answers[key] = message }

  private mutating func forgetOldest() {
    // One under way is not forgotten, but counts as new.
    for _ in 0..<order.count - first where answers.count > limit {
      let oldest = order[first]
      first += 1
      if case .some(.some) = answers[oldest] { answers[oldest] = nil } else { order.append(oldest) }
    }
    guard first > limit else { return }
    order.removeFirst(first)
    first = 0
  }
}
