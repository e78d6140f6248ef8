// SPDX-License-Identifier: MIT
package import BLECentral
internal import BLEFormats

/// Makes values of what devices advertise: one for each new value or packet counter, however often a device repeats it.
///
/// It remembers what it has heard, and is used by one task at a time.
package final class AdvertisedValues {
  private let selection: AdvertisedSelection
  private let decoder: AdvertisementDecoder
  /// More than radios hear at once: one that is forgotten has its values again.
  private var devices = RecentMemory<DeviceKey, HeardSensor>(limit: 16_384)
  /// True if the device that was heard last has ever had values.
  package private(set) var hasValues = false

  package init(_ selection: AdvertisedSelection, _ decoder: AdvertisementDecoder) {
    (self.selection, self.decoder) = (selection, decoder)
  }

  /// The new values in what is known of a device that was just heard.
  package func values(of info: PeripheralInfo, at time: Timestamp) -> [ValueBatch] {
    let device = device(info.key)
    hasValues = device.hasValues
    // Most packets are repeats.
    if !selection.takesRepeats {
      if device.advertisement == info.advertisement { return [] }
      device.advertisement = info.advertisement
    }
    return values(
      in: info.advertisement.context, from: AdvertisementDecoder.Sender(info), device, rssi: info.rssi,
      at: time)
  }

  /// The new values in an advertisement of a device.
  func values(
    in context: AdvertisedContext, from sender: AdvertisementDecoder.Sender, rssi: Int?, at time: Timestamp
  ) -> [ValueBatch] {
    values(in: context, from: sender, device(.address(sender.lastingAddress)), rssi: rssi, at: time)
  }

  private func values(
    in context: AdvertisedContext, from sender: AdvertisementDecoder.Sender, _ device: HeardSensor,
    rssi: Int?, at time: Timestamp
  ) -> [ValueBatch] {
    var batches: [ValueBatch] = []
    for data in context.data {
      let reading = decoder.reading(of: data, in: context, from: sender)
      guard selection.takes(reading) else { continue }
      device.hasValues = true
      let format = reading.format
      var fields = format?.namedFields ?? DecodedFields()
      guard selection.takesRepeats || device.isNews(reading, fields) else { continue }
      fields.complete(reading, rssi: rssi)
      batches.append(
        ValueBatch(
          [ReceivedValue(data.bytes, at: time)], decoded: [fields],
          of: device.origin(of: data, format, sender)))
    }
    hasValues = device.hasValues
    return batches
  }

  /// Returns the state that is remembered of a device that was just heard.
  private func device(_ key: DeviceKey) -> HeardSensor { devices.touch(key, HeardSensor.init) }
}

/// The state that is remembered of a device.
private final class HeardSensor {
  /// The maximum number of kinds of data that are remembered of a device.
  private static let mostKinds = 64

  var advertisement: AdvertisementData?
  /// True if any of its data has been taken.
  var hasValues = false
  /// The latest contents of each kind of packet, as hash values: devices send packets with different values in turn.
  private var latest: [Int: Int] = [:]
  /// Of each kind of data; few, so that comparing is cheaper than hashing.
  private var origins: [(owner: AdvertisedData.Sender, label: String?, origin: ValueOrigin)] = []

  /// Returns whether data is not what the last packet of its kind had, and remembers it.
  func isNews(_ reading: AdvertisementReading, _ fields: DecodedFields) -> Bool {
    // The latest packet once more, or one that another radio has recorded.
    if reading.freshness == .repeated || reading.freshness == .replayed { return false }
    var (kind, contents) = (Hasher(), Hasher())
    kind.combine(ValueAdvertisement(reading.data, format: reading.format))
    if reading.format != nil {
      for field in fields.fields { kind.combine(field.key) }
      contents.combine(fields)
      contents.combine(reading.counter)
    } else {
      contents.combine(reading.data)
    }
    let (place, new) = (kind.finalize(), contents.finalize())
    if latest[place] == new { return false }
    if latest.count >= Self.mostKinds, latest[place] == nil { latest = [:] }
    latest[place] = new
    return true
  }

  func origin(
    of data: AdvertisedData, _ format: (any AdvertisedFormat)?, _ sender: AdvertisementDecoder.Sender
  ) -> ValueOrigin {
    let (owner, address) = (data.sender, sender.lastingAddress)
    let (type, label): (String?, String?) = format.map { ($0.type, $0.label) } ?? (nil, nil)
    let place = origins.firstIndex { $0.owner == owner && $0.origin.format == type && $0.label == label }
    if let known = place.map({ origins[$0].origin }), known.name == sender.name, known.address == address {
      return known
    }
    let origin = ValueOrigin(
      address: address, name: sender.name,
      advertisement: ValueAdvertisement(data, format: format))
    if let place {
      origins[place].origin = origin
    } else {
      if origins.count >= Self.mostKinds { origins = [] }
      origins.append((owner, label, origin))
    }
    return origin
  }
}

extension DecodedFields {
  /// Adds what is known of the packet beside its fields; texts from the air are not escaped.
  fileprivate mutating func complete(_ packet: AdvertisementReading, rssi: Int?) {
    if let counter = packet.counter, self["counter"] == nil {
      add("counter", .integer(Int(counter.value)), label: "counter")
    }
    if let decryption = packet.decryption, decryption != .done {
      add("decryption", .text(decryption.rawValue), label: "decryption")
    }
    if let warning = packet.warning { add("freshness", .text(warning)) }
    if let rssi { add("rssi_dbm", .integer(rssi), label: "RSSI", unit: "dBm") }
  }
}
