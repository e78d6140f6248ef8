// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import Foundation

/// The internal part of a central manager: its engine, its queue, and its peripherals.
final class CentralSession: Sendable {
  private struct WeakPeripheral {
    weak var peripheral: CBPeripheral?
    /// Identifies the object even during its destruction.
    ///
    /// A number: with an `ObjectIdentifier` beside a weak reference, Swift 6.3.1 mistakes the layout of an
    /// optional of both.
    let identity: UInt

    init(_ peripheral: CBPeripheral) {
      self.peripheral = peripheral
      identity = UInt(bitPattern: ObjectIdentifier(peripheral))
    }
  }

  private struct State {
    weak var manager: CBCentralManager?
    var peripherals: [UUID: WeakPeripheral] = [:]
    var events: ConnectionEventFilter?

    /// The object of a device, if it exists.
    func peripheral(_ identifier: UUID) -> CBPeripheral? { peripherals[identifier]?.peripheral }
  }

  let engine: CentralEngine
  let callbacks: CallbackQueue
  private let state = Lock(State())

  init(_ place: EngineKey, queue: DispatchQueue?) {
    engine = CentralEngine.shared(at: place)
    callbacks = CallbackQueue(target: queue)
  }

  func begin(for manager: CBCentralManager) {
    state.withLock { $0.manager = manager }
    engine.add(self)
  }

  var manager: CBCentralManager? { state.withLock { $0.manager } }

  /// Calls the delegate, if the manager still exists, in one block with the preceding changes.
  func report(
    _ body: @escaping @Sendable (CBCentralManager, (any CBCentralManagerDelegate)?) -> Void
  ) {
    callbacks.post { [weak self] in
      guard let manager = self?.manager else { return }
      body(manager, manager.delegate)
    }
  }

  // MARK: Peripherals

  /// Returns the object of a device: the same one as long as it is in use.
  func peripheral(for device: KnownDevice) -> CBPeripheral {
    if let known = state.withLock({ $0.peripheral(device.identifier) }) { return known }
    let new = CBPeripheral(device, in: self)
    new.link.begin(for: new)
    return state.withLock { state in
      if let known = state.peripheral(device.identifier) { return known }
      state.peripherals[device.identifier] = WeakPeripheral(new)
      return new
    }
  }

  /// The objects that the program holds.
  var peripherals: [CBPeripheral] { state.withLock { $0.peripherals.values.compactMap(\.peripheral) } }

  /// Removes an object that is being destroyed.
  ///
  /// Does not load the weak reference: the object may have a successor, whose last reference this thread
  /// might get.
  func forget(_ peripheral: CBPeripheral) {
    let (identifier, identity) = (peripheral.identifier, UInt(bitPattern: ObjectIdentifier(peripheral)))
    state.withLock { state in
      if state.peripherals[identifier]?.identity == identity { state.peripherals[identifier] = nil }
    }
  }

  func setConnectionEvents(_ filter: ConnectionEventFilter?) { state.exchange(\.events, filter) }

  // MARK: Reports of the engine, on the loop's thread

  func radioChanged(to radio: CBManagerState) {
    if radio != .poweredOn { manager?.radioLost() }
    report { [weak self] manager, delegate in
      if radio != .poweredOn {
        manager.radioLost()
        for peripheral in self?.peripherals ?? [] { peripheral.radioLost() }
      }
      manager.setState(radio)
      delegate?.centralManagerDidUpdateState(manager)
    }
  }

  /// Handles a device that was found or changed; `event` is set if a link was established or ended.
  func deviceChanged(_ device: KnownDevice, event: CBConnectionEvent?) {
    let (known, events) = state.withLock { state in
      (state.peripheral(device.identifier), state.events)
    }
    if let known, known.name != device.name {
      callbacks.post {
        guard known.setName(device.name) else { return }
        known.delegate?.peripheralDidUpdateName(known)
      }
    }
    guard let event, let events, events.allows(device) else { return }
    let peripheral = known ?? peripheral(for: device)
    report { manager, delegate in
      delegate?.centralManager(manager, connectionEventDidOccur: event, for: peripheral)
    }
  }

  /// Handles a connected device that gained or lost services.
  func servicesChanged(of id: BLECentral.Peripheral.ID) {
    for peripheral in peripherals { peripheral.link.servicesChanged(of: id) }
  }
}

struct ConnectionEventFilter: Sendable {
  let services: [CBUUID]
  let identifiers: [UUID]

  func allows(_ device: KnownDevice) -> Bool {
    if services.isEmpty && identifiers.isEmpty { return true }
    return identifiers.contains(device.identifier)
      || services.contains { device.services.contains($0.value) }
  }
}

extension CentralSession {
  /// Reports the devices that a scan found, all in one block.
  func found(_ events: [ScanEvent], inScan number: Int) {
    let found = events.filter { $0.kind != .lost }.map { event in
      (device: engine.devices.note(event.info), info: event.info)
    }
    guard !found.isEmpty else { return }
    report { [weak self] manager, _ in
      for (device, info) in found {
        guard let self, manager.isCurrent(scan: number) else { return }
        let peripheral = peripheral(for: device)
        _ = peripheral.setName(device.name)
        manager.delegate?.centralManager(
          manager, didDiscover: peripheral, advertisementData: info.advertisement.dictionary,
          rssi: NSNumber(value: info.rssi ?? 127))
      }
    }
  }
}

extension AdvertisementData {
  /// The dictionary for delegates, without keys that have no value.
  var dictionary: [String: Any] {
    var dictionary: [String: Any] = [CBAdvertisementDataIsConnectable: NSNumber(value: 1)]
    if let localName { dictionary[CBAdvertisementDataLocalNameKey] = localName }
    if !serviceUUIDs.isEmpty {
      dictionary[CBAdvertisementDataServiceUUIDsKey] = serviceUUIDs.map { CBUUID($0) }
    }
    if let (company, bytes) = manufacturerData.min(by: { $0.key < $1.key }) {
      let identifier = [UInt8(truncatingIfNeeded: company), UInt8(company >> 8)]
      dictionary[CBAdvertisementDataManufacturerDataKey] = Data(identifier + bytes)
    }
    if !serviceData.isEmpty {
      let pairs = serviceData.map { (CBUUID($0.key), Data($0.value)) }
      dictionary[CBAdvertisementDataServiceDataKey] = Dictionary(pairs) { first, _ in first }
    }
    if let txPower { dictionary[CBAdvertisementDataTxPowerLevelKey] = NSNumber(value: txPower) }
    return dictionary
  }
}
