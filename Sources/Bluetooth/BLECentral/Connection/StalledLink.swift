// SPDX-License-Identifier: MIT
internal import BlueZClient

/// Removes a link that carries no requests any more, since one of them requires pairing.
struct StalledLink {
  let device: DeviceSession
  let operation: Operation

  /// The time limit for BlueZ to end the link and to remove the device: 2 s, plus a margin for the radio.
  private static let timeToForget = Duration.seconds(4)

  private var core: CentralCore { device.core }
  private var path: String { device.path }

  /// Closes the link in the task's turn, waits for its end, and looks for the device if BlueZ has forgotten it with
  /// the link.
  ///
  /// Does nothing if the link carries requests.
  ///
  /// - Throws: ``BLEError`` with code `notPaired` if others opened or use the link; it then stays in use.
  func close() async throws(BLEError) {
    guard device.requests.isStalled || device.forgetting != .no else { return }
    let (requests, forgetting) = (device.requests, device.forgetting)
    if device.link.isHeld, await !LinkCloser(device: device).releaseInTurn(),
      core.isConnected(path)
    {
      try await LinkWaits(device: device, operation: operation).enterLock()
      device.link.hold(.joined)
      (device.requests, device.forgetting) = (requests, forgetting)
      throw operation.error(
        .notPaired, "others use the link, which carries no requests since one of them requires pairing")
    }
    let (path, isForgotten) = (path, device.forgetting == .asked)
    let isOver: Bool? = try await core.wait(for: operation.within(StalledLink.timeToForget)) { model in
      let isOver = isForgotten ? !model.devices.contains(path) : model.devices[path]?.isConnected != true
      return isOver ? .success(true) : nil
    }
    if isOver == nil {
      throw operation.error(.timedOut, "the link is still being closed: a request on it requires pairing")
        .advising(.tryAgain)
    }
    device.requests.linkReplaced()
    device.forgetting = .no
    guard !core.client.model.devices.contains(path), let address = BluetoothAddress(devicePath: path) else {
      return
    }
    _ = try await core.hear(ScanFilter(addresses: [address]), until: operation.deadline)
    _ = try core.device(path, for: operation.action)
  }
}

extension BluetoothAddress {
  /// The address in the path of a device: `/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5`.
  fileprivate init?(devicePath: String) {
    self.init(String(devicePath.suffix(17).map { $0 == "_" ? ":" : $0 }))
  }
}
