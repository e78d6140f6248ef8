// SPDX-License-Identifier: MIT
package import BLECentral
internal import BLEFormats
package import BLEWorld

/// Records the data that a device advertises as time passes, by company and by service.
package struct AdvertisementRecorder {
  private struct Entry {
    let bytes: [UInt8]
    let start: ContinuousClock.Instant
  }

  private var companies: [UInt16: [Entry]] = [:]
  private var services: [BluetoothUUID: [Entry]] = [:]

  package init() {}

  /// Records the data that was heard at a given time.
  package mutating func take(_ advertisement: AdvertisementData, at time: ContinuousClock.Instant) {
    for (company, bytes) in advertisement.manufacturerData {
      Self.add(bytes, at: time, to: &companies[company, default: []])
    }
    for (service, bytes) in advertisement.serviceData {
      Self.add(bytes, at: time, to: &services[service, default: []])
    }
  }

  private static func add(
    _ bytes: [UInt8], at time: ContinuousClock.Instant, to entries: inout [Entry]
  ) {
    if entries.last?.bytes != bytes { entries.append(Entry(bytes: bytes, start: time)) }
  }

  /// Replaces the data by what was heard until a time: a sequence, if it changed.
  ///
  /// While duplicates are reported, BlueZ knows the data of the last packet only; a device may send several in turn.
  package func apply(to spec: inout AdvertisementSpec, until end: ContinuousClock.Instant) {
    for (company, entries) in companies.sorted(by: { $0.key < $1.key }) {
      spec.manufacturerData.removeAll { $0.company == company }
      spec.manufacturerData.append(.init(company: company, Self.value(entries, until: end)))
    }
    for (service, entries) in services.sorted(by: { $0.key < $1.key }) {
      spec.serviceData.removeAll { $0.service == service }
      spec.serviceData.append(.init(service: service, Self.value(entries, until: end)))
    }
  }

  /// Returns a sequence, or the bytes of data that stayed the same.
  private static func value(_ entries: [Entry], until end: ContinuousClock.Instant) -> AdvertisedValue {
    guard entries.count > 1 else { return .constant(entries.first?.bytes ?? []) }
    let ends = entries.dropFirst().map(\.start) + [end]
    return .changing(
      .sequence(
        zip(entries, ends).map { entry, end in
          let milliseconds = ((end - entry.start) / .milliseconds(1)).rounded()
          return TimedData(entry.bytes, for: .milliseconds(max(1, Int(milliseconds))))
        }))
  }
}
