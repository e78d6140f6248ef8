// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
public import Foundation

/// A remote device that offers services.
///
/// A manager has one object for each device, as long as the program holds the object.
open class CBPeripheral: CBPeer, @unchecked Sendable {
  private struct Contents {
    weak var delegate: (any CBPeripheralDelegate)?
    var name: String?
    var state = CBPeripheralState.disconnected
    var services: [CBService]?
    /// The peripheral's services at the last comparison.
    var servicePaths: Set<GATTService.ID> = []
    var open: OpenLink?
    var mtu: Int?
    /// The writes without response that bluetoothd has not accepted yet.
    var credits = CBPeripheral.noWrites
  }

  private static let noWrites = Credits(limit: 8)

  let session: CentralSession
  let link: PeripheralConnection
  private let contents = Lock(Contents())

  init(_ device: KnownDevice, in session: CentralSession) {
    self.session = session
    link = PeripheralConnection(device, in: session)
    super.init(identifier: device.identifier)
    contents.withLock { $0.name = device.name }
  }

  deinit {
    if link.end() {
      Misuse.report(
        "Cancelling connection for unused peripheral \(description), Did you forget to keep a reference to it?"
      )
    }
    session.forget(self)
  }

  /// The delegate, held weakly.
  open weak var delegate: (any CBPeripheralDelegate)? {
    get { contents.withLock { $0.delegate } }
    set { contents.withLock { $0.delegate = newValue } }
  }

  /// The name, if known.
  open var name: String? { contents.withLock { $0.name } }

  /// The signal strength of the link before iOS 8; always nil.
  @available(*, deprecated, message: "use readRSSI")
  open var rssi: NSNumber? { nil }

  /// The state of the link, as reported to the delegate.
  open var state: CBPeripheralState { contents.withLock { $0.state } }

  /// The services that were discovered over this link; nil before.
  open var services: [CBService]? { contents.withLock { $0.services } }

  /// Whether there is a link with room for a write without response.
  ///
  /// If there is no room, `peripheralIsReady` follows.
  open var canSendWriteWithoutResponse: Bool {
    contents.withLock { $0.state == .connected && $0.credits.hasRoom }
  }

  /// Always false: there is no iOS notification center.
  open var ancsAuthorized: Bool { false }

  /// Returns the maximum length of a written value in bytes.
  ///
  /// A device that is a machine with bluetoothd before 5.69 accepts 510 in one packet.
  ///
  /// - Parameter type: with a response 512; without, the length that fits into a packet: 20 before BlueZ
  ///   5.62.
  /// - Returns: the number of bytes.
  open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
    let room = max(contents.withLock { $0.mtu } ?? 23, 23) - 3
    let longest = session.engine.devices[identifier]?.longestWrite ?? 512
    // A value longer than a packet is written in parts.
    return type == .withoutResponse ? min(room, longest) : room > longest ? longest : 512
  }

  /// The peripheral as Apple's framework prints it.
  open override var description: String {
    let state =
      switch state {
      case .disconnected: "disconnected"
      case .connecting: "connecting"
      case .connected: "connected"
      case .disconnecting: "disconnecting"
      }
    return "<\(Self.self): \(objectAddress(of: self)), identifier = \(identifier.uuidString), "
      + "name = \(name ?? "(null)"), state = \(state)>"
  }

  // MARK: What changes on the queue

  /// Runs a block that changes the state and calls the manager's delegate.
  func report(_ body: @escaping @Sendable (CBPeripheral, CBCentralManager) -> Void) {
    session.report { [weak self] manager, _ in
      if let self { body(self, manager) }
    }
  }

  /// Runs a block for the delegate, unless the link has ended for the program.
  func report(
    over open: OpenLink,
    _ body: @escaping @Sendable (CBPeripheral, (any CBPeripheralDelegate)?) -> Void
  ) {
    session.callbacks.post { [weak self] in
      guard let self, isOpen(open) else { return }
      body(self, delegate)
    }
  }

  func isOpen(_ open: OpenLink) -> Bool { contents.withLock { $0.open === open } }

  /// Sets the name; returns whether it changed.
  func setName(_ name: String?) -> Bool {
    contents.withLock { contents in
      guard let name, contents.name != name else { return false }
      contents.name = name
      return true
    }
  }

  /// Sets the state of the link; objects discovered over an earlier link become invalid.
  func setState(_ state: CBPeripheralState, _ open: OpenLink?, mtu: Int? = nil) {
    let (services, _) = contents.withLock { contents in
      let old = (contents.services, contents.open)
      contents.services = nil
      (contents.state, contents.open, contents.mtu) = (state, open, mtu)
      contents.credits = CBPeripheral.noWrites
      return old
    }
    for characteristic in CBService.all(of: services ?? []).flatMap({ $0.characteristics ?? [] }) {
      characteristic.setNotifying(false)
    }
  }

  func setMTU(_ mtu: Int?) { contents.withLock { $0.mtu = mtu ?? $0.mtu } }

  func setServices(_ services: [CBService]) { contents.exchange(\.services, services) }

  /// Records the peripheral's services; returns whether some are new.
  func noteServices(_ paths: Set<GATTService.ID>) -> Bool {
    contents.withLock { contents in
      defer { contents.servicePaths = paths }
      return !paths.isSubset(of: contents.servicePaths)
    }
  }

  func takeCredit() { contents.withLock { $0.credits.takeAlways() } }

  /// Gives room back; returns whether the program waits for it.
  func returnCredit() -> Bool { contents.withLock { $0.credits.giveBack() } }

  // MARK: The link

  func connect(reconnects: Bool, after delay: Duration) {
    contents.withLock { if $0.state != .connected { $0.state = .connecting } }
    guard link.connect(reconnects: reconnects, after: delay) else { return }
    report { peripheral, manager in
      guard peripheral.state == .connected else { return }
      manager.delegate?.centralManager(manager, didConnect: peripheral)
    }
  }

  func cancelConnection() {
    // Before the end, which another thread may report at once.
    let before = contents.withLock { contents in
      defer { contents.state = .disconnecting }
      return contents.state
    }
    let isEnding = link.end { [weak self] in
      self?.report { peripheral, manager in
        // It may be wanted again by now.
        if peripheral.state != .connecting { peripheral.setState(.disconnected, nil) }
        manager.delegate?.centralManager(
          manager, didDisconnectPeripheral: peripheral, timestamp: CFAbsoluteTimeGetCurrent(),
          isReconnecting: false, error: nil)
      }
    }
    if !isEnding { contents.withLock { if $0.state == .disconnecting { $0.state = before } } }
  }

  /// Ends the link: Bluetooth is off or unavailable.
  func radioLost() {
    link.end(releases: false)
    setState(.disconnected, nil)
  }

  func managerReleased() {
    link.end()
    setState(.disconnected, nil)
  }

  // MARK: Commands

  /// Queues a command to the peripheral after earlier ones.
  func command(
    _ name: String, _ kind: LinkPipe.Kind = .other,
    _ body: @escaping @Sendable (CBPeripheral, OpenLink) async -> Void
  ) {
    let open = contents.withLock { $0.state == .connected ? $0.open : nil }
    guard let open else {
      Misuse.report("\(self) can only accept commands while in the connected state: \(name)")
      return
    }
    open.pipe.add(kind) { [weak self] in
      if let self { await body(self, open) }
    }
  }
}
