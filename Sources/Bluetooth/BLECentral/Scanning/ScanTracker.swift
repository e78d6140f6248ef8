// SPDX-License-Identifier: MIT

/// Tracks the devices that one scan heard, and reports the changes.
final class ScanTracker {
  let filter: ScanFilter
  let mode: ScanMode
  let reportsDuplicates: Bool
  let source: BatchSource<ScanEvent>
  private var reported: [String: Seen] = [:]

  init(filter: ScanFilter, mode: ScanMode, reportsDuplicates: Bool, source: BatchSource<ScanEvent>) {
    self.filter = filter
    self.mode = mode
    self.reportsDuplicates = reportsDuplicates
    self.source = source
  }

  private struct Seen {
    var facts: Facts
    /// Its last advertisement; the next usually has the same kinds of data.
    var advertisement: AdvertisementData

    /// Records an advertisement, and returns whether it has kinds of data that no earlier one had.
    mutating func note(_ new: AdvertisementData) -> Bool {
      defer { advertisement = new }
      if advertisement.hasSameFacts(as: new) { return false }
      let all = facts.union(Facts(new))
      defer { facts = all }
      return all != facts
    }
  }

  private struct Facts: Equatable {
    var hasName: Bool
    var hasTxPower: Bool
    var services: Set<BluetoothUUID>
    var companies: Set<UInt16>
    var dataServices: Set<BluetoothUUID>

    init(_ advertisement: AdvertisementData) {
      hasName = advertisement.localName != nil
      hasTxPower = advertisement.txPower != nil
      services = Set(advertisement.serviceUUIDs)
      companies = Set(advertisement.manufacturerData.keys)
      dataServices = Set(advertisement.serviceData.keys)
    }

    /// The number of services and companies to remember of a device, which may invent them.
    static let limit = 1000

    private var count: Int { services.count + companies.count + dataServices.count }

    /// Merges other facts: a fact that returns is not new, unless there were too many to remember.
    func union(_ others: Facts) -> Facts {
      var all = self
      all.hasName = hasName || others.hasName
      all.hasTxPower = hasTxPower || others.hasTxPower
      all.services.formUnion(others.services)
      all.companies.formUnion(others.companies)
      all.dataServices.formUnion(others.dataServices)
      return all.count <= Facts.limit ? all : others
    }
  }

  func heard(_ device: DeviceSighting) {
    guard filter.allows(device.info) else { return }
    let path = device.info.peripheral.path
    let kind: ScanEvent.Kind
    if let index = reported.index(forKey: path) {
      // In place, since a copy takes long.
      let isNews = reported.values[index].note(device.info.advertisement)
      guard isNews || reportsDuplicates else { return }
      kind = isNews ? .changed : .advertised
    } else {
      kind = .found
      let advertisement = device.info.advertisement
      reported[path] = Seen(facts: Facts(advertisement), advertisement: advertisement)
    }
    source.send(ScanEvent(kind: kind, device))
  }

  func lost(_ device: DeviceSighting) {
    guard reported.removeValue(forKey: device.info.peripheral.path) != nil else { return }
    source.send(ScanEvent(kind: .lost, device))
  }

  var isOver: Bool { source.isOver }

  func fail(_ error: BLEError) { source.end(error) }
}

extension AdvertisementData {
  /// Returns whether it has the same kinds of data, so that at most the data itself is new.
  fileprivate func hasSameFacts(as other: AdvertisementData) -> Bool {
    hasName == other.hasName && (txPower == nil) == (other.txPower == nil)
      && serviceUUIDs == other.serviceUUIDs && manufacturerData.keys == other.manufacturerData.keys
      && serviceData.keys == other.serviceData.keys
  }

  /// Not by `!=`, which copies the name.
  private var hasName: Bool { if case .some = localName { true } else { false } }
}
