// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
package import TerminalOutput

/// The values of the attributes of a tree, by the identity of the characteristic or descriptor.
package struct TreeValues {
  package var bytes: [String: [UInt8]] = [:]
  /// The reasons for missing values.
  package var errors: [String: BLEError] = [:]

  package init(bytes: [String: [UInt8]] = [:], errors: [String: BLEError] = [:]) {
    self.bytes = bytes
    self.errors = errors
  }
}

/// The GATT tree of a device.
package struct TreeRecord: Record {
  package let info: PeripheralInfo
  package let services: [GATTService]
  package let values: TreeValues
  private let vocabulary: Vocabulary

  package init(
    info: PeripheralInfo, services: [GATTService], values: TreeValues, in vocabulary: Vocabulary = .known
  ) {
    self.info = info
    self.services = services
    self.values = values
    self.vocabulary = vocabulary
  }

  private var device: ProfileSubject { ProfileSubject(info) }

  fileprivate func name(of service: GATTService) -> String? { vocabulary.name(ofService: service.uuid) }

  fileprivate func name(of characteristic: GATTCharacteristic) -> String? {
    vocabulary.name(of: AttributeIdentity(characteristic, of: device))
  }

  fileprivate func name(of descriptor: GATTDescriptor, in characteristic: GATTCharacteristic) -> String? {
    vocabulary.name(of: AttributeIdentity(descriptor, in: characteristic, of: device))
  }

  fileprivate func meaning(of characteristic: GATTCharacteristic) -> ValueMeaning? {
    ValueMeaning(of: characteristic, on: device, values: values.bytes, in: vocabulary)
  }

  fileprivate func meaning(
    of descriptor: GATTDescriptor, in characteristic: GATTCharacteristic
  ) -> ValueMeaning? {
    ValueMeaning(of: descriptor, in: characteristic, on: device, in: vocabulary)
  }

  /// The MTU of the link, if BlueZ reports it.
  var mtu: Int? { services.lazy.flatMap(\.characteristics).compactMap(\.mtu).first }

  package func write(to json: inout JSONWriter) {
    json.field("address", info.address)
    json.field("name", info.name)
    json.field("mtu", mtu)
    json.array("services") { json in
      for service in services { json.object { write(service, to: &$0) } }
    }
  }

  private func write(_ service: GATTService, to json: inout JSONWriter) {
    json.field("uuid", service.uuid)
    json.field("name", name(of: service))
    json.field("handle", Int(service.handle))
    json.field("primary", service.isPrimary)
    if !service.includedServices.isEmpty { json.field("includes", service.includedServices.map { Int($0) }) }
    json.array("characteristics") { json in
      for characteristic in service.characteristics { json.object { write(characteristic, to: &$0) } }
    }
  }

  private func write(_ characteristic: GATTCharacteristic, to json: inout JSONWriter) {
    json.field("uuid", characteristic.uuid)
    json.field("name", name(of: characteristic))
    json.field("handle", Int(characteristic.handle))
    json.field("properties", characteristic.properties.names)
    json.field("mtu", characteristic.mtu)
    let value = values.bytes[characteristic.id]
    let meaning = self.meaning(of: characteristic)
    json.fields(value: value, decoded: value.flatMap { meaning?.decode($0) })
    json.field(values.errors[characteristic.id])
    json.array("descriptors") { json in
      for descriptor in characteristic.descriptors {
        json.object { json in
          json.field("uuid", descriptor.uuid)
          json.field("name", name(of: descriptor, in: characteristic))
          json.field("handle", Int(descriptor.handle))
          let value = values.bytes[descriptor.id]
          let meaning = self.meaning(of: descriptor, in: characteristic)
          json.fields(value: value, decoded: value.flatMap { meaning?.decode($0) })
          json.field(values.errors[descriptor.id])
        }
      }
    }
  }
}

package enum TreeText {
  /// Lines for a terminal, the most wanted facts first; beyond `width`, they continue below the UUID.
  package static func lines(_ tree: TreeRecord, width: Int?, style: Style) -> [String] {
    lines(tree, style).flatMap { line in
      TextWrap.lines(line, width: width, hanging: line.prefix { $0 == " " }.count + "@0000 ".count)
    }
  }

  private static func lines(_ tree: TreeRecord, _ style: Style) -> [String] {
    let name = tree.info.name.map { TerminalSafe.escaped($0) + "  " } ?? ""
    let mtu = tree.mtu.map { "  MTU \($0)" } ?? ""
    var lines = [style.apply(.bold, to: name + tree.info.address.description) + mtu]
    for service in tree.services {
      let kind = service.isPrimary ? "service" : "secondary service"
      let includes = service.includedServices.map { " includes @\($0.fourDigits)" }.joined()
      lines.append(
        "@\(service.handle.fourDigits) \(kind) " + style.apply(.cyan, to: service.uuid.description)
          + named(tree.name(of: service)) + includes
      )
      for characteristic in service.characteristics {
        lines.append(
          "  @\(characteristic.handle.fourDigits) " + style.apply(.green, to: characteristic.uuid.description)
            + named(tree.name(of: characteristic)) + "  "
            + characteristic.properties.names.joined(separator: ", ")
            + value(characteristic.id, tree.values, tree.meaning(of: characteristic), style))
        for descriptor in characteristic.descriptors {
          lines.append(
            "    @\(descriptor.handle.fourDigits) descriptor \(descriptor.uuid)"
              + named(tree.name(of: descriptor, in: characteristic))
              + value(descriptor.id, tree.values, tree.meaning(of: descriptor, in: characteristic), style))
        }
      }
    }
    return lines
  }

  private static func named(_ name: String?) -> String { name.map { " " + $0 } ?? "" }

  private static func value(
    _ id: String, _ values: TreeValues, _ meaning: ValueMeaning?, _ style: Style
  ) -> String {
    if let error = values.errors[id] {
      if error.security != nil { return "  " + style.apply(.yellow, to: "needs pairing") }
      return "  " + style.apply(.red, to: "cannot be read: " + TerminalSafe.escaped(error.message))
    }
    guard let bytes = values.bytes[id] else { return "" }
    return "  = " + style.apply(.yellow, to: TerminalValue.text(of: bytes, meaning?.decode(bytes)))
  }

  /// For a pipe: kind, handle, UUID, properties, value in hex, name, with tabs between them.
  package static func records(_ tree: TreeRecord) -> [String] {
    var lines: [String] = []
    func add(
      _ kind: String, _ handle: UInt16, _ uuid: BluetoothUUID, _ properties: [String], _ value: [UInt8]?,
      _ name: String?
    ) {
      lines.append(
        TabSeparated.line([
          kind, "@" + handle.fourDigits, uuid.description, properties.joined(separator: ","),
          value.map { Hex.string($0) } ?? "", name ?? "",
        ]))
    }
    for service in tree.services {
      add("service", service.handle, service.uuid, [], nil, tree.name(of: service))
      for characteristic in service.characteristics {
        add(
          "characteristic", characteristic.handle, characteristic.uuid, characteristic.properties.names,
          tree.values.bytes[characteristic.id], tree.name(of: characteristic))
        for descriptor in characteristic.descriptors {
          add(
            "descriptor", descriptor.handle, descriptor.uuid, [], tree.values.bytes[descriptor.id],
            tree.name(of: descriptor, in: characteristic))
        }
      }
    }
    return lines
  }
}

/// A value and its meaning.
package struct DecodedRecord: Record {
  /// Nil for an advertisement, and for manufacturer data.
  package let uuid: BluetoothUUID?
  /// The company of manufacturer data.
  package let company: UInt16?
  package let name: String
  /// The format of manufacturer data or service data, for programs.
  package let type: String?
  package let value: [UInt8]
  package let decoded: DecodedFields

  package init(uuid: BluetoothUUID?, name: String, value: [UInt8], decoded: DecodedFields) {
    (self.uuid, self.name, self.value, self.decoded) = (uuid, name, value, decoded)
    (company, type) = (nil, nil)
  }

  /// The data of a company or a service.
  package init(
    uuid: BluetoothUUID? = nil, company: UInt16? = nil, format: any AdvertisedFormat, value: [UInt8]
  ) {
    (self.uuid, self.company, self.value) = (uuid, company, value)
    (name, type, decoded) = (format.label, format.type, format.namedFields)
  }

  package func write(to json: inout JSONWriter) {
    json.field("uuid", uuid)
    json.field("company", company?.fourDigits)
    json.field("name", name)
    json.field("type", type)
    json.fields(value: value, decoded: decoded)
  }
}

extension BLEError {
  /// The security that a value requires of the link on which it was refused: `encrypted` or `authenticated`;
  /// nil for other errors.
  package var security: String? {
    switch code {
    case .notPaired, .bondLost: "encrypted"
    case .pairingTooWeak: "authenticated"
    default: nil
    }
  }
}

extension JSONWriter {
  /// The error of a missing value: `error`, `att_error` if the device reported one, and `security` if it requires
  /// pairing.
  package mutating func field(_ error: BLEError?) {
    guard let error else { return }
    field("error", error.message)
    field("att_error", error.attError.map { Int($0.code) })
    field("security", error.security)
  }
}
