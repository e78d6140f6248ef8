// SPDX-License-Identifier: MIT
internal import AsyncIO
package import DBus

/// Something that a client sees on the bus, at its place in the order of the bus.
package enum BusEvent: Sendable, Hashable {
  case added(path: String, interfaces: [String])
  case removed(path: String, interfaces: [String])
  case changed(path: String, interface: String, values: [String: DBusValue], invalidated: Set<String>)
  /// The outcome of a call that was given this name.
  case reply(String)
  /// Another owner of a name; empty for none.
  case owner(name: String, owner: String)

  init?(_ message: Message) {
    let arguments = message.values
    switch (message.member, arguments.count) {
    case ("InterfacesAdded", 2):
      guard case .dictionary(_, _, let entries) = arguments[1] else { return nil }
      self = .added(path: arguments[0].text ?? "", interfaces: entries.compactMap { $0.key.text })
    case ("InterfacesRemoved", 2):
      guard case .array(_, let names) = arguments[1] else { return nil }
      self = .removed(path: arguments[0].text ?? "", interfaces: names.compactMap(\.text))
    case ("PropertiesChanged", 3):
      guard case .dictionary(_, _, let entries) = arguments[1], case .array(_, let names) = arguments[2]
      else {
        return nil
      }
      var values: [String: DBusValue] = [:]
      for entry in entries { values[entry.key.text ?? ""] = entry.value.unwrapped }
      self = .changed(
        path: message.path ?? "", interface: arguments[0].text ?? "", values: values,
        invalidated: Set(names.compactMap(\.text)))
    case ("NameOwnerChanged", 3):
      self = .owner(name: arguments[0].text ?? "", owner: arguments[2].text ?? "")
    default: return nil
    }
  }

  /// Whether this reports a property's new value.
  package func sets(_ property: String, to value: DBusValue, at path: String? = nil) -> Bool {
    guard case .changed(let changedPath, _, let values, _) = self else { return false }
    return values[property] == value && (path == nil || path == changedPath)
  }

  /// The bytes that this reports as the value of a property.
  package func bytes(_ property: String, at path: String) -> [UInt8]? {
    guard case .changed(path, _, let values, _) = self, case .bytes(let bytes) = values[property] else {
      return nil
    }
    return bytes
  }

  /// Whether this reports the end of an object.
  package func removes(_ path: String) -> Bool {
    if case .removed(path, _) = self { true } else { false }
  }

  /// The object that this is about.
  package var path: String? {
    switch self {
    case .added(let path, _), .removed(let path, _), .changed(let path, _, _, _): path
    case .reply, .owner: nil
    }
  }
}

/// Everything that a client saw, in order, and a way to wait for more.
package final class EventLog: Sendable {
  private struct Waiter {
    let start: Int
    let condition: @Sendable (BusEvent) -> Bool
    let promise: Promise<Int?>
  }

  private struct State {
    var events: [BusEvent] = []
    var waiters: [Waiter] = []
  }

  private let state = Lock(State())

  package init() {}

  /// The events so far, from a place on.
  package func events(from start: Int = 0) -> [BusEvent] { state.withLock { Array($0.events[start...]) } }

  /// The place of the next event.
  package var end: Int { state.withLock { $0.events.count } }

  package func append(_ event: BusEvent) {
    let (index, due) = state.withLock { state in
      state.events.append(event)
      let due = state.waiters.filter { $0.condition(event) }
      state.waiters.removeAll { waiter in due.contains { $0.promise === waiter.promise } }
      return (state.events.count - 1, due)
    }
    for waiter in due { waiter.promise.fulfil(index) }
  }

  /// Waits until an event fits.
  ///
  /// - Returns: its place; nil when it does not come in time, which is long.
  package func first(
    from start: Int = 0, within limit: Duration = .seconds(20),
    where condition: @escaping @Sendable (BusEvent) -> Bool
  ) async -> Int? {
    let promise = Promise<Int?>()
    let found = state.withLock { state -> Int? in
      if let index = state.events[start...].firstIndex(where: condition) { return index }
      state.waiters.append(Waiter(start: start, condition: condition, promise: promise))
      return nil
    }
    if let found { return found }
    let deadline = LoopClock.now + limit
    EventLoop.shared.submit {
      _ = EventLoop.shared.schedule(at: deadline) { promise.fulfil(nil) }
    }
    return await promise.value
  }
}

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
