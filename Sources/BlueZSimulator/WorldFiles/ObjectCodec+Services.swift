// SPDX-License-Identifier: MIT
internal import JSON

extension Shape<ServiceSpec> {
  static let service = Shape(
    "service", "a service", blank: ServiceSpec(AttributeUUID(0), []),
    [
      .required("uuid", \.uuid, .service, "What kind of service it is."),
      Key("handle", \.handle, .handle, "The handle of the declaration. Default: the next one that is free."),
      Key("primary", \.isPrimary, .flag, "Whether it is a primary service. Default: true."),
      Key(
        "includes", \.includes, Form<ServiceReference>.service.list("an array of services"),
        "Services of this peripheral that belong to it. Default: none."),
      Key(
        "characteristics", \.characteristics,
        Shape<CharacteristicSpec>.characteristic.form.list("an array of characteristics"),
        "Its characteristics. Default: none."),
    ])
}

extension Shape<CharacteristicSpec> {
  static let characteristic = Shape(
    "characteristic", "a characteristic", blank: CharacteristicSpec(AttributeUUID(0), []),
    [
      .required("uuid", \.uuid, .characteristic, "What kind of value it has."),
      Key(
        "handle", \.handle, .handle,
        "The handle of the declaration; the value's is the next. Default: the next free one."),
      .required("properties", \.properties, .properties, "What can be done with it."),
      Key("value", \.value, .value, "The value at the beginning. Default: one byte 00."),
      Key("max_length", \.maximumLength, .integer(0...512), "How many bytes may be written. Default: 512."),
      Key(
        "security", \.security, .security, "What the link must be before it can be used. Default: \"none\"."),
      Key("on_read", \.reading, .reading, "What reading does. Default: \"value\"."),
      Key("on_write", \.writing, .writing, "What writing does. Default: \"store\"."),
      Key("notifies", \.notifying, .notifying, "What it notifies by itself. Default: \"on_demand\"."),
      Key(
        "descriptors", \.descriptors, Shape<DescriptorSpec>.descriptor.form.list("an array of descriptors"),
        "Its descriptors; the client configuration (2902) comes by itself. Default: none."),
      Key(
        "faults", \.faults, CommandForm<CharacteristicCommand>.faults.form.list("an array of faults"),
        "What is wrong with it from the beginning. Default: nothing."),
    ]
  ) { spec, node throws(JSONError) in
    guard spec.value.count <= spec.maximumLength else {
      throw JSONError(
        node.at("value"),
        "expected a value of at most \(spec.maximumLength) bytes (\"max_length\"), found \(spec.value.count)"
      )
    }
    if spec.reading != .value, !spec.properties.contains(.read) {
      throw JSONError(node.at("on_read"), "expected the property \"read\" beside it, found none")
    }
    if spec.writing != .store, spec.properties.isDisjoint(with: [.write, .writeWithoutResponse]) {
      throw JSONError(
        node.at("on_write"),
        "expected the property \"write\" or \"write-without-response\" beside it, found neither")
    }
    if spec.notifying != .onDemand, !spec.properties.isSubscribable {
      throw JSONError(
        node.at("notifies"), "expected the property \"notify\" or \"indicate\" beside it, found neither")
    }
  }
}

extension Shape<DescriptorSpec> {
  static let descriptor = Shape(
    "descriptor", "a descriptor", blank: DescriptorSpec(AttributeUUID(0), value: []),
    [
      .required("uuid", \.uuid, .descriptor, "What kind of value it has."),
      Key("handle", \.handle, .handle, "Its handle. Default: the next one that is free."),
      Key("value", \.value, .value, "The value at the beginning. Default: no bytes."),
      Key("writable", \.isWritable, .flag, "Whether it can be written. Default: false."),
      Key(
        "security", \.security, .security, "What the link must be before it can be used. Default: \"none\"."),
      Key("on_read", \.reading, .simpleReading, "What reading does. Default: \"value\"."),
    ])
}
