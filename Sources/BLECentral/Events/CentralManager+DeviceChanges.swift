// SPDX-License-Identifier: MIT

extension CentralManager {
  /// A change of a device, as a library on top of this one follows it.
  package enum DeviceChange: Sendable {
    /// A device was found, or is linked, named or paired in another way; or, if it is not known, was forgotten.
    case changed(PeripheralInfo, isKnown: Bool)
    /// Services of the device were found, or have gone.
    case services(Peripheral.ID)
  }

  /// Follows the devices, at a lower price than the events have: values and signal strengths are no changes here.
  ///
  /// - Parameter observer: called on the loop's thread; replaces the one before.
  package func followDevices(by observer: @escaping @Sendable (DeviceChange) -> Void) {
    deviceObserver = observer
  }

  func observeDevices(_ change: ObjectModel.Change) {
    guard let deviceObserver else { return }
    switch change {
    case .deviceAdded(let path): observe(path)
    case .device(let path, let properties):
      if properties.isEmpty || !properties.isDisjoint(with: [.name, .uuids]) { observe(path) }
    case .deviceRemoved(let device):
      if let info = PeripheralInfo(device, central: self) { deviceObserver(.changed(info, isKnown: false)) }
    case .services(let path): deviceObserver(.services(path))
    case .adapter, .adapterRemoved, .linkLost, .attributes, .attributeRemoved, .value: break
    }
  }

  private func observe(_ path: String) {
    guard let device = model.devices[path], let info = PeripheralInfo(device, central: self) else { return }
    deviceObserver?(.changed(info, isKnown: true))
  }

  /// Reports every device: bluetoothd has come back.
  func observeAllDevices() {
    guard deviceObserver != nil else { return }
    var known: [PeripheralInfo] = []
    model.devices.forEach { if let info = PeripheralInfo($0, central: self) { known.append(info) } }
    for info in known { deviceObserver?(.changed(info, isKnown: true)) }
  }
}
