// SPDX-License-Identifier: MIT
package import BLECentral
internal import BLEFormats
package import JSON

/// The origin of values: a device, its attribute or the kind of data that it advertises, and the transport.
package final class ValueOrigin: Sendable {
  package enum Transport: String, Sendable {
    case read
    case signal
    case socket
    case advertisement
  }

  /// The source of the values.
  package enum Source: Sendable {
    case attribute(ValueAttribute)
    case advertisement(ValueAdvertisement)
  }

  package let address: BluetoothAddress
  package let name: String?
  /// The identifiers of its device.
  package let device: HeardDevice
  package let source: Source
  package let transport: Transport
  /// The word that distinguishes the values from others of the device, in the line of a value and in a topic:
  /// the shortest form of a UUID, or the type of advertised data.
  package let word: String
  /// The type of the format of advertised data; nil if it is unknown.
  package let format: String?
  /// The meaning of the values, if all have the same, and it is known.
  package let meaning: ValueMeaning?

  /// `names` are further ones of the device; `heard` is what it can be meant by, if that is more; `offset` is where the values begin; `view` may be another meaning than the known one; `vocabulary` is what is known.
  package init(
    address: BluetoothAddress, name: String?, names: [String] = [], heard: HeardDevice? = nil,
    characteristic: GATTCharacteristic, descriptor: GATTDescriptor? = nil, offset: Int = 0,
    transport: Transport, hasTwin: Bool = false, shownAs view: ValueView? = nil,
    in vocabulary: Vocabulary = .known
  ) {
    (self.address, self.name, self.transport) = (address, name, transport)
    self.device = heard ?? HeardDevice(address: address, name: name)
    let device = ProfileSubject(address: address, names: [name].compactMap(\.self) + names)
    let known: ValueMeaning? =
      if offset > 0 {
        nil  // of a part of a value
      } else if let descriptor {
        ValueMeaning(of: descriptor, in: characteristic, on: device, in: vocabulary)
      } else {
        ValueMeaning(of: AttributeIdentity(characteristic, of: device), in: vocabulary)
      }
    meaning = if let view { view.meaning(insteadOf: known) } else { known }
    let attribute = ValueAttribute(
      characteristic: characteristic,
      name: vocabulary.name(of: AttributeIdentity(characteristic, of: device)), descriptor: descriptor,
      offset: offset, hasTwin: hasTwin)
    (source, word, format) = (.attribute(attribute), attribute.uuid.description, nil)
  }

  package convenience init(
    _ info: PeripheralInfo, _ characteristic: GATTCharacteristic, _ descriptor: GATTDescriptor? = nil,
    from offset: Int = 0, via transport: Transport, hasTwin: Bool = false, shownAs view: ValueView? = nil
  ) {
    self.init(
      address: info.lastingAddress, name: info.name, names: info.names, heard: HeardDevice(info),
      characteristic: characteristic, descriptor: descriptor, offset: offset, transport: transport,
      hasTwin: hasTwin, shownAs: view)
  }

  /// Creates the origin of data that a device advertises, whose values are decoded when they come.
  package init(address: BluetoothAddress, name: String?, advertisement: ValueAdvertisement) {
    (self.address, self.name, transport) = (address, name, .advertisement)
    device = HeardDevice(address: address, name: name)
    (source, word) = (.advertisement(advertisement), advertisement.word)
    (format, meaning) = (advertisement.type, nil)
  }

  /// True if the values are advertised.
  package var isAdvertised: Bool { transport == .advertisement }

  /// The attribute; nil if the values are advertised.
  package var attribute: ValueAttribute? {
    if case .attribute(let attribute) = source { attribute } else { nil }
  }

  /// The advertised data; nil if the values are those of an attribute.
  package var advertisement: ValueAdvertisement? {
    if case .advertisement(let advertisement) = source { advertisement } else { nil }
  }

  /// ``word`` for people, as far as there is a name: that of the characteristic, or of the format.
  package var title: String {
    switch source {
    case .attribute(let attribute): attribute.name ?? attribute.characteristic.uuid.description
    case .advertisement(let advertisement): advertisement.label ?? advertisement.word
    }
  }

  /// ``word`` for messages: the name that a profile gives the characteristic, if there is one.
  package var ownTitle: String {
    attribute.flatMap { Vocabulary.known.ownName(ofCharacteristic: $0.uuid) } ?? word
  }

  /// Writes the fields that identify the origin.
  package func write(to json: inout JSONWriter) {
    json.field("address", address)
    json.field("name", name)
    switch source {
    case .attribute(let attribute):
      json.field("service", attribute.characteristic.service)
      json.field("characteristic", attribute.characteristic.uuid)
      json.field("handle", Int(attribute.characteristic.handle))
      json.field("descriptor", attribute.descriptor?.uuid)
      json.field("offset", attribute.offset == 0 ? nil : attribute.offset)
    case .advertisement(let advertisement):
      json.field("service", advertisement.service)
      json.field("company", advertisement.company?.fourDigits)
      json.field("type", advertisement.type)
    }
  }
}

/// An attribute that has values.
package struct ValueAttribute: Sendable {
  package let characteristic: GATTCharacteristic
  /// The name of the characteristic, if known.
  package let name: String?
  /// The descriptor that has the values; nil if the characteristic itself has them.
  package let descriptor: GATTDescriptor?
  /// The number of bytes at the beginning of the attribute that the values lack.
  package let offset: Int
  /// True if the device has another characteristic with this UUID, so that only the handle identifies it.
  package let hasTwin: Bool

  /// The UUID of the attribute that has the values.
  package var uuid: BluetoothUUID { descriptor?.uuid ?? characteristic.uuid }
}

/// Data that a device advertises: of a service or a company, in a format.
package struct ValueAdvertisement: Sendable, Hashable {
  /// The service of service data.
  package let service: BluetoothUUID?
  /// The company of manufacturer data.
  package let company: UInt16?
  /// The name of the format for programs; nil if the format is unknown.
  package let type: String?
  /// The name of the format for people.
  package let label: String?

  package init(_ data: AdvertisedData, format: (any AdvertisedFormat)?) {
    switch data {
    case .manufacturer(let company, _): (self.company, service) = (company, nil)
    case .service(let service, _): (company, self.service) = (nil, service)
    }
    (type, label) = (format?.type, format?.label)
  }

  /// The keys of fields that number packets.
  package static let counterKeys: Set<String> = ["counter", "packet_id", "sequence"]
  /// The keys of fields that are about a packet, not about the device that sends it.
  package static let packetKeys = counterKeys.union(["rssi_dbm"])
  /// The fields that values of every format can have.
  static let packetFields = [
    KnownField("counter", .number), KnownField("decryption", .text), KnownField("freshness", .text),
    KnownField("rssi_dbm", .number),
  ]

  /// The type, or else the shortest form of the number.
  package var word: String { type ?? service?.description ?? company?.fourDigits ?? "" }
}
