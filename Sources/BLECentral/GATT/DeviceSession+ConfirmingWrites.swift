// SPDX-License-Identifier: MIT

extension DeviceSession {
  /// Waits until the device has received writes without response that bluetoothd was given.
  ///
  /// bluetoothd answers a command when it has queued it. ATT sends a request only behind the commands that were queued
  /// before, and the device answers in order: its answer, an error included, proves that they have arrived.
  ///
  /// - Parameters:
  ///   - first: the first of them; nil is the first that nobody has confirmed.
  ///   - operation: what it is for, and until when.
  ///   - central: the manager.
  /// - Throws: ``BLEError``: `disconnected` when the link was lost before; `timedOut` …
  func confirmCommands(
    from first: Int? = nil, _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) {
    let sent = (first ?? commands.firstUnreported)..<commands.count
    if try await areConfirmed(sent, operation, in: central) { return }
    try await requireLink(operation, in: central)
    var failure = operation.error(.notSupported, "the device has no attribute that can be read")
    for attribute in confirmingAttributes(in: central) {
      do {
        _ = try await attribute.read(operation, in: central)
      } catch {
        failure = error
      }
      if try await areConfirmed(sent, operation, in: central) { return }
      guard failure.code == .attributeError else { break }
    }
    throw failure
  }

  /// Whether commands have arrived; false while they may be on their way.
  ///
  /// - Throws: once, if some were lost with a link, even when another link exists by now.
  private func areConfirmed(
    _ sent: Range<Int>, _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) -> Bool {
    if sent.isEmpty { return true }
    guard let fate = commands.fate(of: sent) else { return false }
    commands.report(sent)
    if fate == .arrived { return true }
    var error = operation.error(.disconnected, DeviceSession.linkWasLost)
    if use == .lost { error = await reasonOfNoLink(operation, in: central) }
    error.mayHaveTakenEffect = true
    throw error
  }

  /// Up to three attributes to read for the sake of the answer, the most harmless ones first.
  ///
  /// The configuration of notifications (2902) can be read from any device without pairing, and without effect. A read
  /// of a characteristic that cannot be read is refused at once.
  private func confirmingAttributes(in central: isolated CentralManager) -> [AttributeSession] {
    var ranked: [(rank: Int, path: String, interface: String)] = []
    for characteristic in central.model.characteristics(of: path) {
      let isQuiet = characteristic.properties.isDisjoint(with: [.notify, .indicate])
      let isUnreadable = !characteristic.properties.contains(.read)
      ranked.append((isQuiet ? (isUnreadable ? 2 : 3) : 4, characteristic.path, BlueZ.gattCharacteristic))
    }
    for descriptor in descriptors(in: central) {
      let isConfiguration = descriptor.uuid == .clientCharacteristicConfiguration
      ranked.append((isConfiguration ? 0 : 1, descriptor.path, BlueZ.gattDescriptor))
    }
    return ranked.sorted { ($0.rank, $0.path) < ($1.rank, $1.path) }.prefix(3).map {
      central.attributeSession($0.path, $0.interface, of: self)
    }
  }

  /// The configuration of some notifications (2902); nil where there is none.
  func configuration(in central: isolated CentralManager) -> AttributeSession? {
    descriptors(in: central).filter { $0.uuid == .clientCharacteristicConfiguration }.map(\.path).min().map {
      central.attributeSession($0, BlueZ.gattDescriptor, of: self)
    }
  }

  private func descriptors(in central: isolated CentralManager) -> [DescriptorState] {
    let owners = Set(central.model.characteristics(of: path).map(\.path))
    return central.model.descriptors.values.filter { owners.contains($0.characteristicPath) }
  }
}
