// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import PeripheralEmulator

/// A device that an adapter hears and connects to: a peripheral of the world, or an adapter that advertises.
protocol RadioPeer: AnyObject {
  /// Its own address, which never changes.
  var address: String { get }
  var isAddressPublic: Bool { get }
  /// The resolvable private address that it sends instead of its own, if any.
  var privateAddress: String? { get }
  var mtu: UInt16 { get }
  /// The adapter that sends, which does not hear itself; nil for a peripheral of the world.
  var host: String? { get }
  /// The time between two advertisements.
  var interval: Duration { get }
  var isAdvertising: Bool { get }
  var isReachable: Bool { get }
  func nextReport() -> AdvertisingReport
  var faults: ActiveFaults { get set }
  var packetTime: Duration { get }
  /// The number of packets of a link that arrive together after each packet time.
  var packetsAtOnce: Int { get }
  var pairing: PairingPeer { get }
  var attributes: any AttributeAccess { get }
  /// The number of changes of its attributes within services that it has reported.
  var reportedChanges: Int { get }
  /// The L2CAP channels that it offers by itself, without a program.
  var channels: [ChannelSpec] { get }
  func connect(_ link: any PeripheralLink)
  /// Ends a link that the central has closed.
  func disconnect(_ link: any PeripheralLink)
}

extension RadioPeer {
  var packetsAtOnce: Int { 1 }

  var reportedChanges: Int { 0 }

  /// The address for adapters that cannot resolve the private one.
  var sentAddress: String { privateAddress ?? address }

  var channels: [ChannelSpec] { [] }
}

/// Called with the value that was read, or with the error.
typealias ATTAnswer = (AttributeServer.Outcome) -> Void

/// Attributes that centrals discover, read and write.
protocol AttributeAccess: AnyObject {
  var layout: AttributeLayout { get }
  /// Reads an attribute from an offset, in as many parts as the MTU of the link requires.
  func read(
    _ handle: UInt16, offset: Int, over link: any PeripheralLink, then answer: @escaping ATTAnswer)
  /// Writes an attribute, in as many parts as the MTU of the link requires.
  func write(
    _ handle: UInt16, _ bytes: [UInt8], offset: Int, over link: any PeripheralLink,
    then answer: @escaping ATTAnswer)
  /// Reads with one request; only as many bytes as the MTU of the link permits count.
  func readPart(
    _ handle: UInt16, offset: Int, over link: any PeripheralLink, then answer: @escaping ATTAnswer)
  func prepare(
    _ handle: UInt16, _ bytes: [UInt8], offset: Int, over link: any PeripheralLink,
    then answer: @escaping ATTAnswer)
  /// Writes what was prepared over a link, or discards it.
  func execute(over link: any PeripheralLink, isWritten: Bool, then answer: @escaping ATTAnswer)
}

/// Requests that only adapters support; only centrals without an adapter send them.
extension AttributeAccess {
  func readPart(
    _ handle: UInt16, offset: Int, over link: any PeripheralLink, then answer: @escaping ATTAnswer
  ) { answer(.failure(.requestNotSupported)) }

  func prepare(
    _ handle: UInt16, _ bytes: [UInt8], offset: Int, over link: any PeripheralLink,
    then answer: @escaping ATTAnswer
  ) { answer(.failure(.requestNotSupported)) }

  func execute(over link: any PeripheralLink, isWritten: Bool, then answer: @escaping ATTAnswer) {
    answer(.failure(.requestNotSupported))
  }
}

extension RadioPeripheral: RadioPeer {
  var address: String { spec.address }
  var isAddressPublic: Bool { spec.isAddressPublic }
  var mtu: UInt16 { spec.mtu }
  var host: String? { nil }
  var interval: Duration { spec.advertisement.interval }
  var attributes: any AttributeAccess {
    faults[MoveAttributes.self].map { MovedAttributes(server, by: $0.distance) } ?? server
  }
  var channels: [ChannelSpec] { spec.channels }
  func disconnect(_ link: any PeripheralLink) { disconnect() }
}

/// A peripheral of the world has one link at a time.
extension AttributeServer: AttributeAccess {
  func read(
    _ handle: UInt16, offset: Int, over link: any PeripheralLink, then answer: @escaping ATTAnswer
  ) { read(handle, offset: offset, then: answer) }

  func write(
    _ handle: UInt16, _ bytes: [UInt8], offset: Int, over link: any PeripheralLink,
    then answer: @escaping ATTAnswer
  ) { write(handle, bytes, offset: offset, then: answer) }
}
