// SPDX-License-Identifier: MIT

/// Observers of an event, each until it wants no more calls.
package struct Observers<Value> {
  private var observers: [(Value) -> Bool] = []

  package init() {}

  /// Adds an observer, which returns whether to call it again.
  package mutating func add(_ observer: @escaping (Value) -> Bool) { observers.append(observer) }

  package mutating func notify(_ value: Value) {
    guard !observers.isEmpty else { return }
    observers = observers.filter { $0(value) }
  }
}

extension Observers<Void> {
  package mutating func add(_ observer: @escaping () -> Bool) { add { (_: Void) in observer() } }
}
