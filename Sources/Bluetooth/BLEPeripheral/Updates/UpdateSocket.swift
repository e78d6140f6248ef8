// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import CPlatform
internal import Glibc

/// Our end of a socket that bluetoothd requested, for notifications as packets; confined to the manager.
final class UpdateSocket {
  enum Outcome {
    case sent
    case full
    /// bluetoothd closed its end.
    case ended
  }

  private let loop: EventLoop
  private let descriptor: Int32
  private let otherEnd: Int32
  private var isHandedOver = false
  private var source: SourceID?
  /// True if it may hold values that bluetoothd has not read.
  private var holdsValues = false
  private let changed: (Change) -> Void

  enum Change {
    case hasRoom
    case ended
  }

  /// Creates the socket; fails if the system is out of descriptors.
  ///
  /// Calls `changed` on the loop when there is room after ``waitForRoom()``, and when bluetoothd closed its
  /// end.
  init?(on loop: EventLoop, changed: @escaping (Change) -> Void) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
    (descriptor, otherEnd) = (ends[0], ends[1])
    self.loop = loop
    self.changed = changed
    source = loop.watch(descriptor, for: .readable) { [unowned self] in handle($0) }
  }

  deinit { close() }

  /// Returns bluetoothd's end, once.
  func takeOtherEnd() -> OwnedDescriptor {
    isHandedOver = true
    return OwnedDescriptor(adopting: otherEnd)
  }

  func close() {
    guard let source else { return }
    self.source = nil
    loop.unwatch(source)
    Glibc.close(descriptor)
    if !isHandedOver { Glibc.close(otherEnd) }
  }

  /// Sends a value, which must not be empty.
  func send(_ value: [UInt8]) -> Outcome {
    guard source != nil else { return .ended }
    let count = value.withUnsafeBytes { casyncio_send_packet(descriptor, $0.baseAddress, $0.count) }
    guard count >= 0 else { return count == -Int(EAGAIN) ? .full : .ended }
    holdsValues = true
    return .sent
  }

  func waitForRoom() {
    if let source { loop.setInterest([.readable, .writable], of: source) }
  }

  /// True if bluetoothd has read everything, so that later signals arrive after it.
  var isDrained: Bool {
    if holdsValues { holdsValues = source != nil && casyncio_unread_count(descriptor) > 0 }
    return !holdsValues
  }

  private func handle(_ events: IOEvents) {
    if events.isClosed { return changed(.ended) }
    if events.contains(.readable), !readConfirmations() { return changed(.ended) }
    guard events.contains(.writable), let source else { return }
    loop.setInterest(.readable, of: source)
    changed(.hasRoom)
  }

  /// Reads the byte for each confirmed indication (since BlueZ 5.80); returns false at the end.
  private func readConfirmations() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 64)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      if count == 0 { return false }
      if count < 0, errno != EINTR { return errno == EAGAIN }
    }
  }
}
