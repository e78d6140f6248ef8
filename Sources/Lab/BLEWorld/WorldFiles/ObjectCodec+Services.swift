// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

extension ObjectCodec<ServiceSpec> {
  static let service = ObjectCodec(
    "service", "a service", defaults: ServiceSpec(BluetoothUUID(0), []),
    [
      .comment(\.comment), .required("uuid", \.uuid, .service, "The UUID or the name of the service."),
      Field("handle", \.handle, .handle, "The handle of the declaration. Default: the next free one."),
      Field("primary", \.isPrimary, .flag, "Whether it is a primary service. Default: true."),
      Field(
        "includes", \.includes, Codec<ServiceReference>.service.list("an array of services"),
        "Included services of the same peripheral. Default: none."),
      Field(
        "characteristics", \.characteristics,
        ObjectCodec<CharacteristicSpec>.characteristic.codec.list("an array of characteristics"),
        "Its characteristics. Default: none."),
    ])
}

extension ObjectCodec<CharacteristicSpec> {
  static let characteristic = ObjectCodec(
    "characteristic", "a characteristic", defaults: CharacteristicSpec(BluetoothUUID(0), []),
    [
      .comment(\.comment), .required("uuid", \.uuid, .characteristic, "The UUID or the name."),
      Field(
        "handle", \.handle, .handle,
        "The handle of the declaration; the value's is the next. Default: the next free one."),
      .required("properties", \.properties, .properties, "Its GATT properties."),
      Field(
        "value", \.value, .value,
        "The initial value. Default: what a layout in \"notifies\" sends first; else one byte 00."),
      Field(
        "max_length", \.maximumLength, .integer(0...512),
        "The largest number of bytes that can be written. Default: 512."),
      Field(
        "security", \.security, .security, "The security that the link must have. Default: \"none\"."),
      Field("on_read", \.reading, .reading, "The result of a read. Default: \"value\"."),
      Field("on_write", \.writing, .writing, "The effect of a write. Default: \"store\"."),
      Field(
        "notifies", \.notifying, .notifying,
        "The notifications that it sends unprompted. Default: \"on_demand\"."),
      Field(
        "descriptors", \.descriptors,
        ObjectCodec<DescriptorSpec>.descriptor.codec.list("an array of descriptors"),
        "Its descriptors; the client configuration (2902) is added automatically. Default: none."),
      Field(
        "faults", \.faults, CommandCodec<CharacteristicAction>.faults.codec.list("an array of faults"),
        "Faults that apply from the start. Default: none."),
    ]
  ) { spec, node throws(JSONError) in
    guard spec.value.count <= spec.maximumLength else {
      throw JSONError(
        node.at("value"),
        "expected a value of at most \(spec.maximumLength) bytes (\"max_length\"), found \(spec.value.count)"
      )
    }
    if spec.reading != .value, !spec.properties.contains(.read) {
      throw JSONError(node.at("on_read"), "expected the property \"read\" with it, found none")
    }
    if spec.writing != .store, spec.properties.isDisjoint(with: [.write, .writeWithoutResponse]) {
      throw JSONError(
        node.at("on_write"),
        "expected the property \"write\" or \"write-without-response\" with it, found neither")
    }
    if spec.notifying != .onDemand, !spec.properties.isSubscribable {
      throw JSONError(
        node.at("notifies"), "expected the property \"notify\" or \"indicate\" with it, found neither")
    }
  }
}

extension ObjectCodec<DescriptorSpec> {
  static let descriptor = ObjectCodec(
    "descriptor", "a descriptor", defaults: DescriptorSpec(BluetoothUUID(0), value: []),
    [
      .comment(\.comment), .required("uuid", \.uuid, .descriptor, "The UUID or the name."),
      Field("handle", \.handle, .handle, "Its handle. Default: the next free one."),
      Field("value", \.value, .value, "The initial value. Default: no bytes."),
      Field("writable", \.isWritable, .flag, "Whether it can be written. Default: false."),
      Field(
        "security", \.security, .security, "The security that the link must have. Default: \"none\"."),
      Field("on_read", \.reading, .simpleReading, "The result of a read. Default: \"value\"."),
    ])
}
