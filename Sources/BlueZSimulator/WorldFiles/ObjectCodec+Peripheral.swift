// SPDX-License-Identifier: MIT
internal import JSON

extension Shape<PeripheralSpec> {
  static let peripheral = Shape(
    "peripheral", "a peripheral", blank: PeripheralSpec(address: "", advertisement: AdvertisementSpec()),
    [
      .required("address", \.address, .address, "Its Bluetooth address."),
      Key(
        "address_type", \.isAddressPublic, Choice(words: [("random", false), ("public", true)]).form,
        "Whether the address is random or public. Default: \"random\"."),
      Key(
        "name", \.advertisement.name, .text("a name", atMost: 248),
        "The name that it advertises. Default: none."),
      Key(
        "rssi", \.advertisement.rssi, .integer(-127...20),
        "The signal strength in the middle, dBm. Default: -60."),
      Key(
        "rssi_drift", \.advertisement.rssiDrift, .integer(0...40),
        "How far the strength wanders, dB. Default: 4."),
      Key(
        "advertisement", \.otherAdvertisement, Shape<AdvertisementSpec>.advertisement.form,
        "What else it advertises, and how."),
      Key("mtu", \.mtu, .integer(23...517), "The ATT MTU that it agrees to. Default: 517."),
      Key("link", \.link, Shape<LinkSpec>.link.form, "How fast its links are."),
      Key(
        "generic_attribute", \.hasGenericAttribute, .flag,
        "Whether it has the service Generic Attribute (1801), too. Default: false."),
      Key(
        "services", \.services, Shape<ServiceSpec>.service.form.list("an array of services"),
        "What is found after connecting, beside Generic Access (1800). Default: none."),
      Key("present", \.isPresent, .flag, "Whether it is near at the beginning. Default: true."),
      Key("appears_after", \.appearsAfter, .duration, "When it comes near. Default: it does not."),
      Key("vanishes_after", \.vanishesAfter, .duration, "When it goes away. Default: it does not."),
      Key(
        "faults", \.faults, CommandForm<PeripheralCommand>.faults.form.list("an array of faults"),
        "What is wrong with it from the beginning. Default: nothing."),
    ]
  ) { spec, node throws(JSONError) in
    try PeripheralCheck(spec, node).run()
  }
}

extension Shape<LinkSpec> {
  static let link = Shape(
    "link", "a link", blank: LinkSpec(),
    [
      Key(
        "packet_time", \.packetTime, .duration,
        "How long each packet takes, one at a time in each direction. Default: no time at all.")
    ])
}

extension Shape<AdvertisementSpec> {
  static let advertisement = Shape(
    "advertisement", "an advertisement", blank: AdvertisementSpec(),
    [
      Key(
        "flags", \.flags, Form<UInt8>.integer(0...255).nullable,
        "The flags (AD type 01); null for none. Default: 6, discoverable, LE only."),
      Key(
        "services", \.services, Form<AttributeUUID>.service.list("an array of UUIDs"),
        "The services that it tells of. Default: none."),
      Key(
        "manufacturer_data", \.manufacturerData, .manufacturerData,
        "Data by company identifier. Default: none."),
      Key("service_data", \.serviceData, .serviceData, "Data by service. Default: none."),
      Key(
        "tx_power", \.txPower, .integer(-127...127),
        "The strength that it sends with, dBm. Default: not told."),
      Key(
        "appearance", \.appearance, .integer(0...0xFFFF),
        "What it looks like, as the Bluetooth SIG numbers it. Default: not told."),
      Key(
        "scan_response", \.scanResponse, .scanResponse,
        "What stands in the scan response only, which a passive scan does not hear. Default: nothing."),
      Key(
        "missed_names", \.missedNames, .integer(0...1_000_000),
        "How many reports come without the name at first. Default: 0."),
      Key("connectable", \.isConnectable, .flag, "Whether it can be connected to. Default: true."),
      Key("interval", \.interval, .interval, "The time between two advertisements. Default: \"200ms\"."),
    ])
}

extension PeripheralSpec {
  /// What stands under `advertisement`: all of it but name and strength, which are the peripheral's own keys.
  fileprivate var otherAdvertisement: AdvertisementSpec {
    get {
      var other = advertisement
      let blank = AdvertisementSpec()
      (other.name, other.rssi, other.rssiDrift) = (blank.name, blank.rssi, blank.rssiDrift)
      return other
    }
    set {
      let own = advertisement
      advertisement = newValue
      (advertisement.name, advertisement.rssi, advertisement.rssiDrift) = (own.name, own.rssi, own.rssiDrift)
    }
  }
}
