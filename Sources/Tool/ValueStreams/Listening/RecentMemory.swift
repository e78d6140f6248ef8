// SPDX-License-Identifier: MIT

/// A memory of values by key, for a limited number of keys: strangers may invent addresses.
///
/// When it is full, one half is forgotten: what is worth the least, and of that, what was not written for the longest time.
package struct RecentMemory<Key: Hashable, Value> {
  fileprivate struct Entry {
    var value: Value
    /// The number of the writing that it is from.
    var age: Int
  }

  private let limit: Int
  private let worth: @Sendable (Value) -> Int
  private var entries: [Key: Entry] = [:]
  private var age = 0

  /// `limit` is the highest number of keys; `worth` is how much a value is worth keeping: at first, all the same.
  package init(limit: Int = 4096, worth: @escaping @Sendable (Value) -> Int = { _ in 0 }) {
    (self.limit, self.worth) = (limit, worth)
  }

  /// The value that is remembered for a key.
  ///
  /// Writing makes it the most recent one; nil forgets it.
  package subscript(_ key: Key) -> Value? {
    get { entries[key]?.value }
    set {
      guard let newValue else { return entries[key] = nil }
      age += 1
      if entries.updateValue(Entry(value: newValue, age: age), forKey: key) == nil, entries.count > limit {
        forget()
      }
    }
  }

  /// Returns what is remembered of a key, at first what `make` returns; the key is the most recent one now.
  package mutating func touch(_ key: Key, _ make: () -> Value) -> Value {
    guard let index = entries.index(forKey: key) else {
      let value = make()
      self[key] = value
      return value
    }
    age += 1
    entries.values[index].age = age
    return entries.values[index].value
  }

  /// Takes a value out, so that it is not copied while it changes.
  package mutating func take(_ key: Key) -> Value? { entries.removeValue(forKey: key)?.value }

  /// Forgets the keys that do not fit.
  package mutating func keep(where fits: (Key) -> Bool) { entries = entries.filter { fits($0.key) } }

  /// Changes what is remembered of all keys; the most recent ones stay it.
  package mutating func change(_ body: (inout Value) -> Void) {
    entries = entries.mapValues { entry in
      var entry = entry
      body(&entry.value)
      return entry
    }
  }

  /// The keys, in no order.
  package var keys: some Collection<Key> { entries.keys }
  /// The remembered values, in no order.
  package var values: some Sequence<Value> { entries.values.lazy.map(\.value) }

  private mutating func forget() {
    let order = entries.values.map { (worth($0.value), $0.age) }.sorted { $0 < $1 }
    let middle = order[order.count / 2]
    entries = entries.filter { (worth($0.value.value), $0.value.age) >= middle }
  }
}

extension RecentMemory: Sendable where Key: Sendable, Value: Sendable {}
extension RecentMemory.Entry: Sendable where Key: Sendable, Value: Sendable {}
