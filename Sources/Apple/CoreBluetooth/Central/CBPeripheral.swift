// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
public import Foundation

/// A remote device that offers services.
///
/// A manager has one object for each device, as long as the program holds the object.
///
/// It is Sendable because its state is locked.
open class CBPeripheral: CBPeer, @unchecked Sendable {
  let session: CentralSession
  let link: PeripheralConnection
  private let contents = Lock(PeripheralContents())

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

  /// True if there is a link with room for a write without response.
  ///
  /// If there is no room, `peripheralIsReady` follows.
  open var canSendWriteWithoutResponse: Bool {
    contents.withLock { $0.hasRoom }
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

  /// Takes a link that was established.
  func linkOpened(_ open: OpenLink, mtu: Int?) { setLink(open, mtu) { _ in .connected } }

  /// Gives up the link that has ended, unless a new one is wanted by now.
  func linkEnded() {
    setLink(nil, nil) { [link] contents in
      link.isRequested ? .connecting : contents.endsUnderWay > 0 ? .disconnecting : .disconnected
    }
  }

  /// Replaces the link; objects discovered over an earlier link become invalid.
  private func setLink(
    _ open: OpenLink?, _ mtu: Int?, state: (PeripheralContents) -> CBPeripheralState
  ) {
    let old = contents.withLock { $0.setLink(open, mtu, state: state) }
    for characteristic in old.notifying { characteristic.setNotifying(false) }
  }

  /// Sets whether the program gets the values of a characteristic.
  func setNotifying(_ isOn: Bool, _ characteristic: CBCharacteristic) {
    characteristic.setNotifying(isOn)
    _ = contents.withLock { $0.setNotifying(isOn, characteristic) }
  }

  /// The characteristics whose values the program gets.
  var notifying: [CBCharacteristic] { contents.withLock { $0.notifying } }

  func setMTU(_ mtu: Int?) { contents.withLock { $0.mtu = mtu ?? $0.mtu } }

  func setServices(_ services: [CBService]) { contents.exchange(\.services, services) }

  /// Records the peripheral's services; returns whether some are new.
  func noteServices(_ paths: Set<GATTService.ID>) -> Bool { contents.withLock { $0.noteServices(paths) } }

  /// Takes room for a write without response over a link.
  func takeCredit(over open: OpenLink) { contents.withLock { $0.takeCredit(over: open) } }

  /// Gives room of a link back; returns whether the program waits for it.
  func returnCredit(over open: OpenLink) -> Bool { contents.withLock { $0.returnCredit(over: open) } }

  // MARK: The link

  func connect(reconnects: Bool, after delay: Duration) {
    // Under one lock: the end of the last link may be reported meanwhile.
    let hasLink = contents.withLock { contents in
      if contents.state != .connected { contents.state = .connecting }
      return link.connect(reconnects: reconnects, after: delay)
    }
    guard hasLink else { return }
    report { peripheral, manager in
      guard peripheral.state == .connected else { return }
      manager.delegate?.centralManager(manager, didConnect: peripheral)
    }
  }

  func cancelConnection() {
    // Before the end, which another thread may report at once.
    contents.withLock { contents in
      contents.state = .disconnecting
      contents.endsUnderWay += 1
    }
    // The program may release the object at once: the report holds it.
    let isEnding = link.end { [self] in
      session.report { [self] manager, delegate in
        contents.withLock { $0.endsUnderWay -= 1 }
        linkEnded()
        delegate?.centralManager(
          manager, didDisconnectPeripheral: self, timestamp: CFAbsoluteTimeGetCurrent(),
          isReconnecting: false,
          error: nil)
      }
    }
    guard !isEnding else { return }
    contents.withLock { contents in
      contents.endsUnderWay -= 1
      guard contents.state == .disconnecting, contents.endsUnderWay == 0 else { return }
      // A loss that is not reported yet leaves the link in place.
      contents.state = contents.open != nil ? .connected : link.isRequested ? .connecting : .disconnected
    }
  }

  /// Ends the link: Bluetooth is off or unavailable.
  func radioLost() {
    link.end(releases: false)
    linkEnded()
  }

  func managerReleased() {
    link.end()
    setLink(nil, nil) { _ in .disconnected }
  }

  // MARK: Commands

  /// Returns the link for a command; nil, with a report, without one.
  func requireLink(_ command: String) -> OpenLink? {
    if let open = contents.withLock({ $0.state == .connected ? $0.open : nil }) { return open }
    Misuse.report("\(self) can only accept commands while in the connected state: \(command)")
    return nil
  }

  /// Queues a command to the peripheral after earlier ones.
  func command(
    over open: OpenLink, _ kind: LinkPipe.Kind = .other,
    _ body: @escaping @Sendable (CBPeripheral) async -> Void
  ) {
    open.pipe.add(kind) { [weak self] in
      if let self { await body(self) }
    }
  }
}

/// The state of the link to a peripheral, as reported to its delegate.
public enum CBPeripheralState: Int, Sendable {
  /// There is no link.
  case disconnected = 0
  /// A link is being established, or awaited.
  case connecting
  /// There is a link, and its services are known.
  case connected
  /// The program is giving up the link.
  case disconnecting
}

/// The other end of a link.
///
/// It is Sendable because it never changes.
open class CBPeer: NSObject, NSCopying, @unchecked Sendable {
  private let peerIdentifier: UUID

  init(identifier: UUID) { peerIdentifier = identifier }

  /// Identifies the device on this machine; the address cannot be derived from it.
  ///
  /// It is stable as long as the device keeps its address.
  open var identifier: UUID { peerIdentifier }

  /// Returns the same object.
  open func copy(with zone: NSZone? = nil) -> Any { self }
}
