// SPDX-License-Identifier: MIT
internal import Glibc

package struct SourceID: Hashable, Sendable {
  /// Never 0: can be stored as a C user pointer.
  package let number: Int

  package init(number: Int) { self.number = number }
}

/// The possible events of a watched file descriptor.
package struct IOEvents: OptionSet, Sendable {
  package let rawValue: Int16
  package init(rawValue: Int16) { self.rawValue = rawValue }

  package static let readable = IOEvents(rawValue: Int16(POLLIN))
  package static let writable = IOEvents(rawValue: Int16(POLLOUT))
  /// The other end has closed; always reported, cannot be requested.
  package static let hangup = IOEvents(rawValue: Int16(POLLHUP))
  /// Always reported; cannot be requested.
  package static let error = IOEvents(rawValue: Int16(POLLERR | POLLNVAL))

  package var isClosed: Bool { contains(.hangup) || !isDisjoint(with: .error) }
}

/// The descriptors of one loop, and the array that poll(2) takes, rebuilt only when they change.
struct SourceTable {
  typealias Handler = (IOEvents) -> Void

  private struct Source {
    let id: SourceID
    let descriptor: Int32
    var interest: IOEvents
    let handler: Handler
  }

  private var sources: [Source] = []
  private(set) var pollSet: [pollfd] = []
  private var pollIDs: [SourceID] = []
  private var lastNumber = 0
  private var isStale = true

  mutating func add(_ descriptor: Int32, interest: IOEvents, handler: @escaping Handler) -> SourceID {
    lastNumber += 1
    let id = SourceID(number: lastNumber)
    sources.append(Source(id: id, descriptor: descriptor, interest: interest, handler: handler))
    isStale = true
    return id
  }

  mutating func setInterest(_ interest: IOEvents, of id: SourceID) {
    guard let index = sources.firstIndex(where: { $0.id == id }) else { return }
    isStale = isStale || sources[index].interest != interest
    sources[index].interest = interest
  }

  mutating func remove(_ id: SourceID) {
    sources.removeAll { $0.id == id }
    isStale = true
  }

  /// Returns the handler, unless an earlier handler removed the source.
  func handler(of id: SourceID) -> Handler? { sources.first { $0.id == id }?.handler }

  mutating func refresh(waking wakeDescriptor: Int32) {
    guard isStale else { return }
    isStale = false
    pollSet = [pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0)]
    pollIDs = []
    for source in sources where !source.interest.isEmpty {
      pollSet.append(pollfd(fd: source.descriptor, events: source.interest.rawValue, revents: 0))
      pollIDs.append(source.id)
    }
  }

  mutating func poll(timeout: Int32) -> Int32 { Glibc.poll(&pollSet, nfds_t(pollSet.count), timeout) }

  var isWakeReady: Bool { pollSet.first.map { $0.revents != 0 } ?? false }

  func ready() -> [(SourceID, IOEvents)] {
    var found: [(SourceID, IOEvents)] = []
    for (index, id) in pollIDs.enumerated() where pollSet[index + 1].revents != 0 {
      found.append((id, IOEvents(rawValue: pollSet[index + 1].revents)))
    }
    return found
  }
}

extension EventLoop {
  /// Watches a descriptor, which the caller still owns; call on the loop's thread, where `handler` also runs.
  package func watch(
    _ descriptor: Int32, for interest: IOEvents, handler: @escaping (IOEvents) -> Void
  ) -> SourceID {
    checkIsolated()
    return sources.add(descriptor, interest: interest, handler: handler)
  }

  /// Changes the events to wait for (an empty set pauses the source); call on the loop's thread.
  package func setInterest(_ interest: IOEvents, of id: SourceID) {
    checkIsolated()
    sources.setInterest(interest, of: id)
  }

  /// Removes a source, whose handler is not called again; call on the loop's thread.
  package func unwatch(_ id: SourceID) {
    checkIsolated()
    sources.remove(id)
  }
  /// Waits until a descriptor is ready, its other end is closed, or the wait ends; call on the loop's thread.
  ///
  /// - Returns: the events of the descriptor, or the end of the wait.
  func wait(
    for interest: IOEvents, of descriptor: Int32, until deadline: ContinuousClock.Instant?
  ) async -> Promise<IOEvents>.Outcome {
    let promise = Promise<IOEvents>()
    let source = watch(descriptor, for: interest) { promise.fulfil($0) }
    defer { unwatch(source) }
    return await promise.outcome(until: deadline, on: self)
  }
}
