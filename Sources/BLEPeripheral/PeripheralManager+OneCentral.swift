// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import DBus

/// Values for one central alone, over its socket.
extension PeripheralManager {
  /// The version of bluetoothd from which on a socket reaches only the central that it was acquired for.
  private static let firstVersion = BlueZVersion(major: 5, minor: 76)

  func individualCentrals(of characteristic: PublishedCharacteristic) -> [Central] {
    guard whyNotIndividual(characteristic.served) == nil, let attribute = attribute(characteristic) else {
      return []
    }
    return attribute.sockets.keys.sorted().compactMap { central($0) }
  }

  func update(
    _ characteristic: PublishedCharacteristic, to value: [UInt8], for central: Central
  ) throws(BLEError) -> Bool {
    let action = BLEError.Action.update(characteristic.uuid, for: central.address)
    let attribute = try checked(characteristic, value, for: action)
    if let reason = whyNotIndividual(attribute) {
      throw BLEError(.notSupported, during: action, reason)
    }
    if value.isEmpty {
      throw BLEError(
        .invalidLength, during: action, "an empty value would end the socket of the central")
    }
    guard let socket = socket(of: central, attribute) else {
      throw BLEError(
        .notFound, during: action,
        "it has not subscribed, or bluetoothd has not asked for a socket since it has returned")
    }
    if let isSent = send(value, over: socket, of: attribute, characteristic) { return isSent }
    attribute.window.refuse()
    return false
  }

  func send(
    _ value: [UInt8], from characteristic: PublishedCharacteristic, for central: Central, timeout: Duration?
  ) async throws(BLEError) {
    let operation = Operation(.update(characteristic.uuid, for: central.address), timeout: timeout)
    while try !update(characteristic, to: value, for: central) {
      try await waitForRoom(characteristic, operation)
    }
  }

  private func socket(of central: Central, _ attribute: ServedAttribute) -> UpdateSocket? {
    attribute.sockets[central.path]
  }

  /// Why a value cannot be sent to one central alone; nil when it can.
  private func whyNotIndividual(_ attribute: ServedAttribute) -> String? {
    guard attribute.transport == .acquireNotify else {
      return "signals reach every central; give the characteristic the update transport acquireNotify"
    }
    guard client.connection.isDirect else { return "no socket comes over a bus that a program leads to" }
    guard let version = blueZVersion else {
      return "the version of BlueZ is unknown: DeviceID in main.conf hides it"
    }
    guard version >= PeripheralManager.firstVersion else {
      return
        "BlueZ \(version) sends what comes over a socket to every central; \(PeripheralManager.firstVersion) does not"
    }
    return nil
  }
}
