// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats
internal import BLEWorld
internal import DBus
internal import Glibc
internal import PeripheralEmulator

/// The L2CAP channels between adapters, which programs open and offer through the kernel where there is one, and those of
/// peripherals.
///
/// An answer is a socket and a number, or the number of the error that the kernel would give.
final class ChannelBroker: ExportedInterface {
  let description = InterfaceDescription(
    name: BlueZName.simulator,
    methods: [
      .init("OpenChannel", ["device:o", "psm:q", "security:q"]),
      .init("PublishChannel", ["adapter:o", "psm:q", "security:q"]),
    ])

  /// A channel that a client offers.
  private struct Offer {
    let client: String
    /// The name of the socket at which the client listens.
    let name: sockaddr_un
    let length: socklen_t
    let security: UInt16
  }

  /// The size of the largest packet, in bytes.
  static let packetSize = 2048
  /// The numbers that are chosen for clients.
  private static let freeNumbers: ClosedRange<UInt16> = 0x80...0xff
  private static let channelCount = Lock(UInt32(0))

  private let adapters: () -> [AdapterObject]
  private let loop: EventLoop
  /// By the path of the adapter, and the number.
  private var offers: [String: [UInt16: Offer]] = [:]

  init(adapters: @escaping () -> [AdapterObject], on loop: EventLoop) {
    (self.adapters, self.loop) = (adapters, loop)
  }

  func perform(_ method: String, _ call: MethodCall) {
    guard case .objectPath(let path)? = call.argument(0), case .uint16(let psm)? = call.argument(1),
      case .uint16(let security)? = call.argument(2)
    else { return call.fail(.invalidArguments) }
    let result =
      method == "OpenChannel"
      ? open(path, psm, security) : publish(path, psm, security, client: call.sender)
    call.reply { writer in
      switch result {
      case .success(let (descriptor, number)):
        writer.descriptor(adopting: OwnedDescriptor(adopting: descriptor))
        writer.uint16(number)
      case .failure(let error): writer.uint32(UInt32(error.code))
      }
    }
  }

  func clientLeft(_ name: String) {
    for path in offers.keys { offers[path] = offers[path]?.filter { $0.value.client != name } }
  }

  private typealias Answer = Result<(descriptor: Int32, number: UInt16), ErrorNumber>

  // MARK: Offering

  private func publish(_ path: String, _ psm: UInt16, _ security: UInt16, client: String) -> Answer {
    guard adapters().contains(where: { $0.path == path && $0.isPowered }) else {
      return .failure(ErrorNumber(code: ENODEV))
    }
    let taken = offers[path] ?? [:]
    guard let number = psm == 0 ? Self.freeNumbers.first(where: { taken[$0] == nil }) : psm,
      taken[number].map({ $0.client == client }) ?? true
    else { return .failure(ErrorNumber(code: EADDRINUSE)) }
    let listener = Self.socket()
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    // Without a name, the kernel chooses one.
    var length = socklen_t(MemoryLayout<sa_family_t>.size)
    let isListening = withUnsafeMutablePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        guard listener >= 0, bind(listener, name, length) == 0, listen(listener, 16) == 0 else {
          return false
        }
        length = socklen_t(MemoryLayout<sockaddr_un>.size)
        return getsockname(listener, name, &length) == 0
      }
    }
    guard isListening else { return .failure(ErrorNumber(code: errno)) }
    offers[path, default: [:]][number] = Offer(client: client, name: name, length: length, security: security)
    return .success((listener, number))
  }

  // MARK: Opening

  private func open(_ path: String, _ psm: UInt16, _ security: UInt16) -> Answer {
    guard let device = adapters().lazy.flatMap(\.devices).first(where: { $0.path == path }),
      let link = device.link.current
    else { return .failure(ErrorNumber(code: ENOTCONN)) }
    var ends: [Int32] = [-1, -1]
    if let channel = device.peripheral.channels.first(where: { $0.psm == psm }) {
      guard Self.isSecure(link.security, security) else { return .failure(ErrorNumber(code: ECONNREFUSED)) }
      guard socketpair(AF_UNIX, Self.kind, 0, &ends) == 0 else {
        return .failure(ErrorNumber(code: errno))
      }
      link.carry(ChannelRelay(ends[0], to: channel.behaviour, length: Self.packetSize, on: loop))
      return .success((ends[1], UInt16(Self.packetSize)))
    }
    let far: Int32
    switch connect(
      device.adapter.spec.address, to: device.peripheral.host ?? "", psm, link.security, security)
    {
    case .success(let descriptor): far = descriptor
    case .failure(let error): return .failure(error)
    }
    guard socketpair(AF_UNIX, Self.kind, 0, &ends) == 0 else {
      let number = errno
      close(far)
      return .failure(ErrorNumber(code: number))
    }
    link.carry(ChannelRelay(ends[0], far, length: Self.packetSize, on: loop))
    return .success((ends[1], UInt16(Self.packetSize)))
  }

  /// Connects a device to the channel that a client offers on an adapter; returns the socket of the device.
  func connect(
    _ device: String, to adapter: String, _ psm: UInt16, _ level: LinkSecurity, _ security: UInt16 = 0
  ) -> Result<Int32, ErrorNumber> {
    let host = adapters().first { $0.spec.address == adapter }
    guard let offer = host.flatMap({ offers[$0.path]?[psm] }),
      Self.isSecure(level, max(security, offer.security))
    else { return .failure(ErrorNumber(code: ECONNREFUSED)) }
    let far = Self.socket(named: device)
    guard far >= 0, Self.connect(far, to: offer) else {
      let number = errno
      if far >= 0 { close(far) }
      return .failure(ErrorNumber(code: number))
    }
    return .success(far)
  }

  /// Returns whether a link is as secure as BT_SECURITY_LOW, MEDIUM or HIGH demand.
  private static func isSecure(_ security: LinkSecurity, _ level: UInt16) -> Bool {
    switch level {
    case 0, 1: true
    case 2: security >= .encrypted
    default: security >= .authenticated
    }
  }

  private static var kind: Int32 {
    Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
  }

  private static func socket() -> Int32 { Glibc.socket(AF_UNIX, kind, 0) }

  /// A socket whose name tells the other end which device it belongs to.
  private static func socket(named address: String) -> Int32 {
    let descriptor = socket()
    let number = channelCount.withLock { count in
      count += 1
      return count
    }
    var text: [UInt8] = [0] + (BluetoothAddress(address)?.bytes ?? []) + [0]
    for part in [UInt32(getpid()), number] {
      withUnsafeBytes(of: part) { text += $0 }
    }
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: text) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + text.count)
    let isNamed = withUnsafePointer(to: name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
    }
    if isNamed { return descriptor }
    close(descriptor)
    return -1
  }

  private static func connect(_ descriptor: Int32, to offer: Offer) -> Bool {
    withUnsafePointer(to: offer.name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, offer.length) == 0
      }
    }
  }
}
