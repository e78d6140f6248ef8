// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Foundation

extension CentralSession {
  /// Reports what a scan has found, all in one block.
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
  /// The dictionary for delegates; it has only keys with a value.
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
