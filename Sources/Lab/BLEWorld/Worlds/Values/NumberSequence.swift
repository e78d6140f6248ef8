// SPDX-License-Identifier: MIT
internal import Glibc

/// The numbers of a rule, one after another from the first.
struct NumberSequence {
  private let rule: NumberRule
  private var index = 0
  private var level: Double?
  private var random: SplitMix

  init(_ rule: NumberRule) {
    self.rule = rule
    switch rule {
    case .walk(let walk): random = SplitMix(walk.seed)
    case .random(let numbers): random = SplitMix(numbers.seed)
    case .counter, .ramp, .sine: random = SplitMix(0)
    }
  }

  /// Returns the next number, encoded; a counter restarts at the number that has no encoding.
  mutating func next<Value>(_ encode: (Double) -> Value?) -> Value? {
    switch rule {
    case .counter(let counter): return next(counter, encode)
    case .ramp(let ramp):
      defer { index += 1 }
      let steps = max(1, ramp.period - 1)
      return encode(ramp.first + (ramp.last - ramp.first) * Double(index % (steps + 1)) / Double(steps))
    case .sine(let sine):
      defer { index += 1 }
      let angle = 2 * Double.pi * Double(index % max(1, sine.period)) / Double(max(1, sine.period))
      return encode(sine.middle + sine.amplitude * sin(angle))
    case .walk(let walk): return encode(next(walk))
    case .random(let numbers):
      return encode(numbers.least + (numbers.greatest - numbers.least) * random.fraction())
    }
  }

  private mutating func next<Value>(_ counter: Counter, _ encode: (Double) -> Value?) -> Value? {
    let number = level ?? counter.first
    let isPast = counter.last.map { counter.step < 0 ? number < $0 : number > $0 } ?? false
    if !isPast, let value = encode(number) {
      level = number + counter.step
      return value
    }
    level = counter.first + counter.step
    return encode(counter.first)
  }

  private mutating func next(_ walk: RandomWalk) -> Double {
    let change = walk.step * (2 * random.fraction() - 1)
    let number = level.map { min(max($0 + change, walk.least), walk.greatest) } ?? walk.first
    level = number
    return number
  }
}

/// A reproducible random number generator (SplitMix64).
private struct SplitMix {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  /// Returns a number from 0 up to, but not including, 1.
  mutating func fraction() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((mixed ^ (mixed >> 31)) >> 11) * 0x1p-53
  }
}
