// SPDX-License-Identifier: MIT
internal import CPlatform
internal import Glibc

/// A socket of the kernel's Bluetooth; confined to the loop's thread.
package final class BluetoothSocket {
  package enum Channel: Sendable {
    /// The commands and events of the controller with this number; the kernel hides most of them without CAP_NET_RAW.
    case controller(UInt16)
    /// The management interface; most of its commands need CAP_NET_ADMIN.
    case management
  }

  /// A link of a controller, as the kernel knows it.
  package struct Link: Sendable, Hashable {
    package let handle: UInt16
    /// The first byte of the written form first.
    package let address: [UInt8]
    package let isLE: Bool
    package let isCentral: Bool
    package let isEncrypted: Bool
    /// True if this machine opened it.
    package let isOutgoing: Bool

    init(_ link: casyncio_bluetooth_link) {
      handle = link.handle
      address = withUnsafeBytes(of: link.address) { Array($0.reversed()) }
      isLE = link.type == 0x80
      isCentral = link.mode & 1 != 0
      isEncrypted = link.mode & 4 != 0
      isOutgoing = link.is_out != 0
    }
  }

  private let descriptor: Int32
  private let source: PacketSource

  /// Opens a socket; `received` gets its packets on the loop's thread.
  package init(
    _ channel: Channel, on loop: EventLoop, received: @escaping @Sendable ([[UInt8]]) -> Void
  ) throws(ErrorNumber) {
    descriptor =
      switch channel {
      case .controller(let number): casyncio_open_bluetooth(number, CASYNCIO_BLUETOOTH_RAW)
      case .management:
        casyncio_open_bluetooth(UInt16(CASYNCIO_NO_CONTROLLER), CASYNCIO_BLUETOOTH_CONTROL)
      }
    guard descriptor >= 0 else { throw ErrorNumber(code: -descriptor) }
    source = PacketSource(
      adopting: OwnedDescriptor(adopting: descriptor), on: loop, received: received, ended: {})
  }

  package func send(_ bytes: [UInt8]) throws(ErrorNumber) {
    let sent = casyncio_send_packet(descriptor, bytes, bytes.count)
    if sent < 0 { throw ErrorNumber(code: Int32(-sent)) }
  }

  /// The address of a controller, the first byte of the written form first.
  package func address(of controller: UInt16) throws(ErrorNumber) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 6)
    let status = casyncio_bluetooth_address(descriptor, controller, &bytes)
    if status < 0 { throw ErrorNumber(code: -status) }
    return bytes.reversed()
  }

  package func links(of controller: UInt16) throws(ErrorNumber) -> [Link] {
    var links = [casyncio_bluetooth_link](
      repeating: casyncio_bluetooth_link(), count: CASYNCIO_LINKS)
    let count = casyncio_bluetooth_links(descriptor, controller, &links)
    if count < 0 { throw ErrorNumber(code: -count) }
    return links[..<Int(count)].map(Link.init)
  }

  package func close() { source.close() }
}
