// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import JSON
internal import ValueStreams

/// The beginning of a profile: an entry for each UUID of a device that has no name.
struct ProfileDraft {
  private struct Entry {
    var uuid: BluetoothUUID
    var comment: String
  }

  private let name: String?
  private let address: BluetoothAddress
  private var services: [Entry] = []
  private var characteristics: [Entry] = []

  init(name: String?, address: BluetoothAddress) {
    (self.name, self.address) = (name, address)
  }

  func isUnknown(_ characteristic: GATTCharacteristic) -> Bool {
    Vocabulary.known.profiles.name(ofCharacteristic: characteristic.uuid) == nil
      && !characteristics.contains { $0.uuid == characteristic.uuid }
  }

  mutating func add(_ service: GATTService) {
    guard Vocabulary.known.profiles.name(ofService: service.uuid) == nil,
      !services.contains(where: { $0.uuid == service.uuid })
    else { return }
    let count = service.characteristics.count
    services.append(Entry(uuid: service.uuid, comment: "\(count) characteristic\(count == 1 ? "" : "s")"))
  }

  /// Adds a characteristic with the value that it has now; nil if it cannot be read.
  mutating func add(_ characteristic: GATTCharacteristic, _ value: [UInt8]?) {
    var words = [characteristic.properties.names.joined(separator: " ")]
    if let value {
      let count = value.count
      words.append(
        count == 0 ? "value: no bytes" : "value: \(Hex.string(value)), \(count) byte\(count == 1 ? "" : "s")")
    }
    characteristics.append(Entry(uuid: characteristic.uuid, comment: words.joined(separator: "; ")))
  }

  /// The indented file.
  var json: [UInt8] {
    var json = JSONWriter(layout: .indented)
    json.object { json in
      json.array("devices") { json in
        json.object { json in
          json.field("name", name ?? "my device")
          json.field("address", address.description)
        }
      }
      write("services", services, numbered: "service", hasLayout: false, to: &json)
      write("characteristics", characteristics, numbered: "value", hasLayout: true, to: &json)
    }
    json.endRecord()
    return json.bytes
  }

  private func write(
    _ key: String, _ entries: [Entry], numbered word: String, hasLayout: Bool, to json: inout JSONWriter
  ) {
    guard !entries.isEmpty else { return }
    json.array(key) { json in
      for (index, entry) in entries.enumerated() {
        json.object { json in
          json.field("comment", entry.comment)
          json.field("uuid", entry.uuid.description)
          json.field("name", "\(word) \(index + 1)")
          if hasLayout { json.field("layout", "hex") }
        }
      }
    }
  }
}
