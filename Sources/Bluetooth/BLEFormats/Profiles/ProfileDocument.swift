// SPDX-License-Identifier: MIT
package import JSON

/// A profile as its file has it.
package struct ProfileDocument: Sendable {
  /// The schema for editors, which is ignored.
  var schema: String?
  var devices: [ProfileDevice] = []
  var services: [ServiceEntry] = []
  var characteristics: [AttributeEntry] = []
  var descriptors: [AttributeEntry] = []
  var advertisements: [AdvertisementEntry] = []

  struct ServiceEntry: Sendable, Hashable {
    var uuid = BluetoothUUID(0)
    var name = ""
    var isReplacement = false
  }

  struct AttributeEntry: Sendable, Hashable {
    var uuid = BluetoothUUID(0)
    var service: BluetoothUUID?
    var device: String?
    var name = ""
    var layout: OwnLayout?
    var isReplacement = false
  }

  struct AdvertisementEntry: Sendable, Hashable {
    var company: UInt16?
    var service: BluetoothUUID?
    var prefix: [UInt8] = []
    var device: String?
    var name = ""
    var type: String?
    var layout: OwnLayout?
  }

  /// The profile that the file describes.
  func profile(source: String) -> Profile {
    Profile(
      source: source, devices: devices,
      services: services.map { ProfileService(uuid: $0.uuid, name: $0.name) },
      characteristics: characteristics.map(Self.attribute), descriptors: descriptors.map(Self.attribute),
      advertisements: advertisements.compactMap { entry in
        guard let layout = entry.layout?.layout,
          let sender = entry.company.map({ .company($0) })
            ?? entry.service.map({ AdvertisedData.Sender.service($0) })
        else { return nil }
        return ProfileAdvertisement(
          sender: sender, prefix: entry.prefix, device: entry.device, name: entry.name, type: entry.type,
          layout: layout)
      })
  }

  private static func attribute(_ entry: AttributeEntry) -> ProfileCharacteristic {
    var layout = entry.layout?.layout
    layout?.name = entry.name
    return ProfileCharacteristic(
      uuid: entry.uuid, service: entry.service, device: entry.device, name: entry.name, layout: layout)
  }
}

extension ObjectCodec<ProfileDocument> {
  package static let profile = ObjectCodec(
    "profile", "a profile", defaults: ProfileDocument(),
    [
      Field("$schema", \.schema, .text("a text", atMost: 1000), "The schema, for editors; ignored."),
      Field(
        "devices", \.devices, ObjectCodec<ProfileDevice>.device.codec.list("an array of devices"),
        "Devices with names of your own. Default: none."),
      Field(
        "services", \.services,
        ObjectCodec<ProfileDocument.ServiceEntry>.service.codec.list("an array of services"),
        "Services with names of your own. Default: none."),
      Field(
        "characteristics", \.characteristics,
        ObjectCodec<ProfileDocument.AttributeEntry>.characteristic.codec.list("an array of characteristics"),
        "Characteristics with names and layouts of your own. Default: none."),
      Field(
        "descriptors", \.descriptors,
        ObjectCodec<ProfileDocument.AttributeEntry>.descriptor.codec.list("an array of descriptors"),
        "Descriptors with names and layouts of your own. Default: none."),
      Field(
        "advertisements", \.advertisements,
        ObjectCodec<ProfileDocument.AdvertisementEntry>.advertisement.codec.list(
          "an array of advertisements"),
        "Data of advertisements with layouts of your own. Default: none."),
    ]
  ) { document, node throws(JSONError) in
    var mistakes = JSONMistakes()
    let twins = Twins(node)
    twins.note(in: "devices", key: "name", document.devices.map(\.name), &mistakes)
    twins.note(in: "services", key: "uuid", document.services.map(\.uuid.description), &mistakes)
    twins.note(in: "services", key: "name", document.services.map(\.name), &mistakes)
    for (list, entries) in [
      ("characteristics", document.characteristics), ("descriptors", document.descriptors),
    ] {
      twins.note(
        in: list, key: "uuid",
        entries.map { "\($0.uuid) \($0.service?.description ?? "") \($0.device ?? "")" }, &mistakes)
      // One name may stand for different UUIDs on different devices.
      twins.note(in: list, key: "name", entries.map { "\($0.name) \($0.device ?? "")" }, &mistakes)
    }
    try mistakes.rethrow()
  }
}

/// Finds entries of a list that are equal.
private struct Twins {
  private let root: JSONNode

  init(_ root: JSONNode) { self.root = root }

  func note(in list: String, key: String, _ words: [String], _ mistakes: inout JSONMistakes) {
    var first: [String: Int] = [:]
    for (index, word) in words.enumerated() {
      guard let other = first.updateValue(index, forKey: word), let elements = root[list]?.elements,
        let node = elements[index][key]
      else { continue }
      mistakes.note(
        JSONError(node, "expected each \(key) once, found \(node.summary) again (first at /\(list)/\(other))")
      )
    }
  }
}
