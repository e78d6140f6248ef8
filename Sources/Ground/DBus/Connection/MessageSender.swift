// SPDX-License-Identifier: MIT
internal import CPlatform
internal import Glibc

/// Writes messages to the socket of a bus, many with one system call; confined to the loop's thread.
struct MessageSender {
  /// Bytes that are sent together; the descriptors go with the first byte.
  private struct Parcel {
    var bytes: [UInt8]
    var descriptors: [SharedDescriptor]
  }

  private let descriptor: Int32
  private var parcels: [Parcel] = []
  private var offset = 0
  private(set) var count = 0

  /// - Parameter descriptor: a non-blocking stream socket; not closed here.
  init(_ descriptor: Int32) { self.descriptor = descriptor }

  var isEmpty: Bool { count == 0 }

  mutating func add(_ message: Message) {
    count += message.count
    if !message.descriptors.isEmpty || parcels.isEmpty {
      parcels.append(Parcel(bytes: [], descriptors: message.descriptors))
    }
    message.withBytes { parcels[parcels.count - 1].bytes.append(contentsOf: $0) }
  }

  /// Writes as many bytes as the socket accepts; returns false if the other side has closed.
  mutating func flush() -> Bool {
    while let parcel = parcels.first {
      let numbers = offset == 0 ? parcel.descriptors.map(\.raw) : []
      let taken = parcel.bytes.withUnsafeBytes { bytes in
        casyncio_send(
          descriptor, bytes.baseAddress.unsafelyUnwrapped + offset, bytes.count - offset, numbers,
          Int32(numbers.count))
      }
      if taken == -Int(EINTR) { continue }
      if taken == -Int(EAGAIN) { return true }
      guard taken > 0 else { return false }
      count -= taken
      offset += taken
      guard offset == parcel.bytes.count else { continue }
      parcels.removeFirst()
      offset = 0
    }
    return true
  }
}
