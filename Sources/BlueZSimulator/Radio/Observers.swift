// SPDX-License-Identifier: MIT

/// Who is told when something happens, until they have heard enough.
struct Observers<Value> {
  private var observers: [(Value) -> Bool] = []

  /// Adds an observer, which returns whether it wants to be told again.
  mutating func add(_ observer: @escaping (Value) -> Bool) { observers.append(observer) }

  /// Tells them.
  mutating func tell(_ value: Value) {
    guard !observers.isEmpty else { return }
    observers = observers.filter { $0(value) }
  }
}

extension Observers<Void> {
  mutating func add(_ observer: @escaping () -> Bool) { add { (_: Void) in observer() } }
}
