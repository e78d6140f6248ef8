// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import CDBus

/// Connects the watches of libdbus (its file descriptors) to an event loop, until Hello is answered.
///
/// The timeouts of libdbus are not needed: only its own pending calls use them.
final class ConnectionWatches {
  private let loop: EventLoop
  private let beforeReading: (Int32) -> Bool
  private let afterIO: () -> Void

  /// - Parameters:
  ///   - loop: the loop.
  ///   - beforeReading: called with a descriptor that can be read; returns whether libdbus may read it.
  ///   - afterIO: called after bytes were read or written: messages may be ready.
  init(loop: EventLoop, beforeReading: @escaping (Int32) -> Bool, afterIO: @escaping () -> Void) {
    self.loop = loop
    self.beforeReading = beforeReading
    self.afterIO = afterIO
  }

  /// Registers with libdbus, which keeps a reference until ``detach(from:)``; call on the loop's thread.
  func attach(to connection: OpaquePointer) {
    let context = Unmanaged.passRetained(self).toOpaque()
    dbus_connection_set_watch_functions(
      connection,
      { watch, context in
        guard let watch, let context else { return 0 }
        Unmanaged<ConnectionWatches>.fromOpaque(context).takeUnretainedValue().add(watch)
        return 1
      },
      { watch, context in
        guard let watch, let context else { return }
        Unmanaged<ConnectionWatches>.fromOpaque(context).takeUnretainedValue().remove(watch)
      },
      { watch, context in
        guard let watch, let context else { return }
        Unmanaged<ConnectionWatches>.fromOpaque(context).takeUnretainedValue().toggle(watch)
      },
      context,
      { context in
        guard let context else { return }
        Unmanaged<ConnectionWatches>.fromOpaque(context).release()
      })
  }

  func detach(from connection: OpaquePointer) {
    dbus_connection_set_watch_functions(connection, nil, nil, nil, nil, nil)
  }

  private func add(_ watch: OpaquePointer) {
    let (beforeReading, afterIO) = (beforeReading, afterIO)
    let descriptor = dbus_watch_get_unix_fd(watch)
    let id = loop.watch(descriptor, for: interest(of: watch)) { events in
      if events.contains(.readable), !beforeReading(descriptor) { return }
      var flags: UInt32 = 0
      if events.contains(.readable) { flags |= DBUS_WATCH_READABLE.rawValue }
      if events.contains(.writable) { flags |= DBUS_WATCH_WRITABLE.rawValue }
      if !events.isDisjoint(with: .hangup) { flags |= DBUS_WATCH_HANGUP.rawValue }
      if !events.isDisjoint(with: .error) { flags |= DBUS_WATCH_ERROR.rawValue }
      dbus_watch_handle(watch, flags)
      afterIO()
    }
    dbus_watch_set_data(watch, UnsafeMutableRawPointer(bitPattern: id.number), nil)
  }

  private func remove(_ watch: OpaquePointer) {
    loop.unwatch(SourceID(number: Int(bitPattern: dbus_watch_get_data(watch))))
  }

  private func toggle(_ watch: OpaquePointer) {
    loop.setInterest(interest(of: watch), of: SourceID(number: Int(bitPattern: dbus_watch_get_data(watch))))
  }

  private func interest(of watch: OpaquePointer) -> IOEvents {
    guard dbus_watch_get_enabled(watch) != 0 else { return [] }
    let flags = dbus_watch_get_flags(watch)
    var interest: IOEvents = []
    if flags & DBUS_WATCH_READABLE.rawValue != 0 { interest.insert(.readable) }
    if flags & DBUS_WATCH_WRITABLE.rawValue != 0 { interest.insert(.writable) }
    return interest
  }
}
