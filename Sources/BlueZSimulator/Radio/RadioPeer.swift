// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import PeripheralEmulator

/// What an adapter hears and connects to: a peripheral of the world, or another adapter that advertises.
protocol RadioPeer: AnyObject {
  /// Its own address, by which it is known for good.
  var address: String { get }
  var isAddressPublic: Bool { get }
  /// The resolvable private address that it sends instead of its own; nil if it hides nothing.
  var privateAddress: String? { get }
  /// The largest ATT MTU that it accepts.
  var mtu: UInt16 { get }
  /// The adapter that sends, which does not hear itself; nil for a peripheral of the world.
  var host: String? { get }
  /// The time between two advertisements.
  var interval: Duration { get }
  var isAdvertising: Bool { get }
  /// Whether it can be connected to.
  var isReachable: Bool { get }
  /// The next report that a scanner gets.
  func nextReport() -> AdvertisingReport
  /// Its current faults.
  var faults: ActiveFaults { get set }
  /// The time per packet of a link.
  var packetTime: Duration { get }
  /// Its side of pairing.
  var pairing: PairingPeer { get }
  /// Its attributes.
  var attributes: any AttributeAccess { get }
  func connect(_ link: any PeripheralLink)
  /// Ends a link after the central has closed it.
  func disconnect(_ link: any PeripheralLink)
}

extension RadioPeer {
  /// The address that adapters see which cannot resolve it.
  var sentAddress: String { privateAddress ?? address }
}

/// Attributes that centrals discover, read and write.
protocol AttributeAccess: AnyObject {
  var layout: AttributeLayout { get }
  /// Reads an attribute from an offset on, in as many parts as the MTU of the link requires.
  func read(
    _ handle: UInt16, offset: Int, over link: any PeripheralLink,
    then answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void)
  /// Writes an attribute, in as many parts as the MTU of the link requires.
  func write(
    _ handle: UInt16, _ bytes: [UInt8], offset: Int, over link: any PeripheralLink,
    then answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void)
  /// Reads with one request: at most as much as the MTU of the link permits counts.
  func readPart(
    _ handle: UInt16, offset: Int, over link: any PeripheralLink,
    then answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void)
  /// Prepares a part of a write.
  func prepare(
    _ handle: UInt16, _ bytes: [UInt8], offset: Int, over link: any PeripheralLink,
    then answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void)
  /// Writes what was prepared over a link, or drops it.
  func execute(
    over link: any PeripheralLink, isWritten: Bool,
    then answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void)
}

/// What centrals without an adapter ask for, and only adapters offer.
extension AttributeAccess {
  func readPart(
    _ handle: UInt16, offset: Int, over link: any PeripheralLink,
    then answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void
  ) { answer(.failure(.requestNotSupported)) }

  func prepare(
    _ handle: UInt16, _ bytes: [UInt8], offset: Int, over link: any PeripheralLink,
    then answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void
  ) { answer(.failure(.requestNotSupported)) }

  func execute(
    over link: any PeripheralLink, isWritten: Bool,
    then answer: @escaping (Result<[UInt8], ATTErrorCode>) -> Void
  ) { answer(.failure(.requestNotSupported)) }
}

extension RadioPeripheral: RadioPeer {
  var address: String { spec.address }
  var isAddressPublic: Bool { spec.isAddressPublic }
  var privateAddress: String? { spec.privateAddress }
  var mtu: UInt16 { spec.mtu }
  var host: String? { nil }
  var interval: Duration { spec.advertisement.interval }
  var attributes: any AttributeAccess { server }
  func disconnect(_ link: any PeripheralLink) { disconnect() }
}

/// A peripheral of the world has one link at a time.
extension AttributeServer: AttributeAccess {
  func read(
    _ handle: UInt16, offset: Int, over link: any PeripheralLink, then answer: @escaping (Outcome) -> Void
  ) { read(handle, offset: offset, then: answer) }

  func write(
    _ handle: UInt16, _ bytes: [UInt8], offset: Int, over link: any PeripheralLink,
    then answer: @escaping (Outcome) -> Void
  ) { write(handle, bytes, offset: offset, then: answer) }
}
