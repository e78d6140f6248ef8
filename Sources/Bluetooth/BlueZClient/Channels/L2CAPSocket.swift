// SPDX-License-Identifier: MIT
package import AsyncIO
package import BLEFormats
internal import CPlatform
package import DBus
internal import Glibc

/// The sockets of L2CAP channels: those of the kernel, or those of a simulated bluetoothd, which has no kernel.
///
/// Only a bluetoothd on another bus than the well-known one is asked whether it is simulated.
package enum L2CAPSocket {
  /// The interface of a simulator, which a real bluetoothd does not know.
  private static let simulator = "net.blectl.Simulator1"

  /// An address of a device or an adapter, and its kind.
  package struct Address: Sendable {
    package let address: BluetoothAddress
    package let isRandom: Bool

    package init(_ address: BluetoothAddress, isRandom: Bool) {
      (self.address, self.isRandom) = (address, isRandom)
    }

    fileprivate var raw: casyncio_l2cap_address {
      var raw = casyncio_l2cap_address()
      withUnsafeMutableBytes(of: &raw.bytes) { $0.copyBytes(from: address.bytes) }
      raw.is_random = isRandom ? 1 : 0
      return raw
    }
  }

  // MARK: The simulator

  /// The call that opens a channel of a simulated device.
  package static func openCall(of device: String, psm: UInt16, _ security: L2CAPSecurity) -> Message {
    call("OpenChannel", device, psm, security)
  }

  /// The call that offers a channel of a simulated adapter.
  package static func publishCall(by adapter: String, psm: UInt16, _ security: L2CAPSecurity) -> Message {
    call("PublishChannel", adapter, psm, security)
  }

  private static func call(
    _ method: String, _ path: String, _ psm: UInt16, _ security: L2CAPSecurity
  ) -> Message {
    Message(call: method, of: simulator, at: "/", to: BlueZ.service) {
      $0.objectPath(path)
      $0.uint16(psm)
      $0.uint16(UInt16(security.rawValue))
    }
  }

  /// Returns whether an error of these calls says that bluetoothd is a real one.
  package static func isOfRealDaemon(_ error: BLEError) -> Bool {
    switch error.cause {
    case .unknownMethod, .unknownObject, .accessDenied: true
    default: false
    }
  }

  /// The socket in the simulator's answer, which the caller closes, and its number: the size of packets, or the PSM.
  package static func socket(
    in answer: Message, during action: BLEError.Action
  ) throws(BLEError) -> (descriptor: Int32, number: UInt16) {
    guard answer.hasSignature("hq"), case .uint16(let number)? = answer.values.last,
      let descriptor = answer.takeDescriptor(at: 0)
    else {
      guard case .uint32(let number)? = answer.values.first else {
        throw BLEError(.failed, during: action, "the simulator's answer is not as expected")
      }
      throw error(.failed(Int32(truncatingIfNeeded: number)), during: action)
    }
    return (descriptor.release(), number)
  }

  // MARK: The kernel

  /// Connects to a channel of a device, over the link that the kernel has with it.
  package static func connect(
    from adapter: Address, to device: Address, psm: UInt16, _ security: L2CAPSecurity,
    until deadline: ContinuousClock.Instant?, during action: BLEError.Action, on loop: EventLoop,
    isolation: isolated (any Actor)? = #isolation
  ) async throws(BLEError) -> L2CAPChannel {
    let descriptor = try open(adapter, psm: 0, security, during: action)
    let raw = descriptor.raw
    let status = casyncio_l2cap_connect(raw, device.raw, psm)
    guard status == 0 || status == -EINPROGRESS else {
      throw error(.failed(-status), during: action)
    }
    let socket = ChannelSocket(adopting: descriptor, maximum: L2CAPChannel.usualLength, on: loop)
    do {
      if status != 0 { try await socket.connected(until: deadline) }
    } catch {
      socket.close()
      throw self.error(error, during: action)
    }
    return channel(socket, raw, psm: psm, peer: device.address, on: loop)
  }

  /// Listens for channels; returns the socket, which the caller closes, and the PSM that devices use.
  package static func listen(
    on adapter: Address, psm: UInt16, _ security: L2CAPSecurity, during action: BLEError.Action
  ) throws(BLEError) -> (descriptor: Int32, psm: UInt16) {
    let descriptor = try open(adapter, psm: psm, security, during: action)
    let status = casyncio_l2cap_listen(descriptor.raw, 16)
    guard status >= 0 else { throw error(.failed(-status), during: action) }
    return (descriptor.release(), UInt16(truncatingIfNeeded: status))
  }

  /// Returns the next channel that a device has opened; nil if none is waiting.
  package static func accept(
    from listener: Int32, psm: UInt16, during action: BLEError.Action, on loop: EventLoop
  ) throws(BLEError) -> L2CAPChannel? {
    var raw = casyncio_l2cap_address()
    let descriptor = casyncio_l2cap_accept(listener, &raw)
    if [-EAGAIN, -EINTR, -ECONNABORTED].contains(descriptor) { return nil }
    guard descriptor >= 0 else { throw error(.failed(-descriptor), during: action) }
    let bytes = withUnsafeBytes(of: raw.bytes) { Array($0) }
    let peer = bytes.allSatisfy { $0 == 0 } ? nil : BluetoothAddress(bytes: bytes)
    let socket = ChannelSocket(
      adopting: OwnedDescriptor(adopting: descriptor), maximum: L2CAPChannel.usualLength, on: loop)
    return channel(socket, descriptor, psm: psm, peer: peer, on: loop)
  }

  private static func open(
    _ adapter: Address, psm: UInt16, _ security: L2CAPSecurity, during action: BLEError.Action
  ) throws(BLEError) -> OwnedDescriptor {
    let descriptor = casyncio_l2cap_open(
      adapter.raw, psm, security.rawValue, UInt16(L2CAPChannel.usualLength))
    guard descriptor >= 0 else { throw error(.failed(-descriptor), during: action) }
    return OwnedDescriptor(adopting: descriptor)
  }

  private static func channel(
    _ socket: ChannelSocket, _ descriptor: Int32, psm: UInt16, peer: BluetoothAddress?, on loop: EventLoop
  ) -> L2CAPChannel {
    // A simulated channel has no such option; its packets are as large as ours.
    let (theirs, ours) = (casyncio_l2cap_mtu(descriptor, 0), casyncio_l2cap_mtu(descriptor, 1))
    return L2CAPChannel(
      socket, psm: psm, peer: peer,
      maximumSendLength: theirs > 0 ? Int(theirs) : L2CAPChannel.usualLength,
      maximumReceiveLength: ours > 0 ? Int(ours) : L2CAPChannel.usualLength, on: loop)
  }

  // MARK: Errors

  package static func error(_ end: ChannelSocket.End, during action: BLEError.Action) -> BLEError {
    switch end {
    case .closed: BLEError(.disconnected, during: action, "the channel is closed")
    case .cancelled: .cancelled(action)
    case .timedOut: BLEError(.timedOut, during: action, "no answer before the timeout")
    case .failed(let number): error(number, during: action)
    }
  }

  private static func error(_ number: Int32, during action: BLEError.Action) -> BLEError {
    func made(_ code: BLEError.Code, _ message: String) -> BLEError {
      BLEError(code, during: action, message)
    }
    return switch number {
    case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT:
      made(
        .notSupported,
        "the kernel has no Bluetooth sockets: load its module bluetooth, or permit AF_BLUETOOTH in the container"
      )
    case EACCES, EPERM:
      made(
        .accessDenied,
        "the kernel does not permit it: a PSM below 128 needs the capability CAP_NET_BIND_SERVICE")
    case ECONNREFUSED:
      made(.notSupported, "the device refuses: it has no channel with this PSM, or requires pairing")
    case EADDRINUSE, EBUSY: made(.busy, "another program uses this PSM")
    case EINVAL: made(.invalidDefinition, "the kernel does not accept this PSM")
    case ENOTCONN, ECONNRESET, ECONNABORTED, EHOSTDOWN, EHOSTUNREACH, ENETUNREACH:
      made(.disconnected, "there is no link to the device")
    case ETIMEDOUT: made(.timedOut, "the device did not answer")
    default: made(.failed, ErrorNumber(code: number).description)
    }
  }
}
