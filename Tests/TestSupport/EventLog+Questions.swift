// SPDX-License-Identifier: MIT
package import DBus

// Swift 6.3.1 gives a closure in a macro's argument and one beside it the same symbol, and one of them runs for both:
// what is asked for often is asked for here, without closures in the tests.
extension EventLog {
  /// Waits until a property is reported to have a value.
  package func first(
    from start: Int = 0, setting property: String, to value: DBusValue, at path: String? = nil
  ) async -> Int? {
    await first(from: start) { $0.sets(property, to: value, at: path) }
  }

  /// Waits until something is reported of an object.
  package func first(from start: Int = 0, about path: String) async -> Int? {
    await first(from: start) { $0.path == path }
  }

  /// Waits until a call is answered, or an object of the client's is called.
  package func first(from start: Int = 0, replying line: String) async -> Int? {
    await first(from: start) { $0 == .reply(line) }
  }

  /// Waits until a name has an owner, or none.
  package func first(from start: Int = 0, owning name: String, isOwned: Bool) async -> Int? {
    await first(from: start) { event in
      guard case .owner(name, let owner) = event else { return false }
      return owner.isEmpty != isOwned
    }
  }

  /// Waits until an object is added, or taken away.
  package func first(from start: Int = 0, adding path: String, isAdded: Bool = true) async -> Int? {
    await first(from: start) { event in
      switch event {
      case .added(path, _): isAdded
      case .removed(path, _): !isAdded
      default: false
      }
    }
  }
}
