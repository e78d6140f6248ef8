// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

extension ObjectCodec<PeripheralSpec> {
  static let peripheral = ObjectCodec(
    "peripheral", "a peripheral", defaults: PeripheralSpec(address: "", advertisement: AdvertisementSpec()),
    [
      .comment(\.comment), .required("address", \.address, .address, "Its Bluetooth address."),
      Field(
        "address_type", \.isAddressPublic, OneOf(words: [("random", false), ("public", true)]).codec,
        "Whether the address is random or public. Default: \"random\"."),
      Field(
        "private_address", \.privateAddress, Codec.privateAddress.optional,
        "The resolvable private address that it sends instead, until it has bonded. Default: none."),
      Field(
        "name", \.advertisement.name, .text("a name", atMost: 248),
        "The name that it advertises. Default: none."),
      Field(
        "rssi", \.advertisement.rssi, .integer(-127...20),
        "The average signal strength in dBm. Default: -60."),
      Field(
        "rssi_drift", \.advertisement.rssiDrift, .integer(0...40),
        "The largest deviation from the average signal strength, in dB. Default: 4."),
      Field(
        "advertisement", \.otherAdvertisement, ObjectCodec<AdvertisementSpec>.advertisement.codec,
        "The rest of its advertisement."),
      Field("mtu", \.mtu, .integer(23...517), "The largest ATT MTU that it accepts. Default: 517."),
      Field("link", \.link, ObjectCodec<LinkSpec>.link.codec, "The speed of its links."),
      Field(
        "generic_attribute", \.hasGenericAttribute, .flag,
        "Whether it also has the service Generic Attribute (1801). Default: false."),
      Field(
        "services", \.services, ObjectCodec<ServiceSpec>.service.codec.list("an array of services"),
        "Its services; Generic Access (1800) is added automatically. Default: none."),
      Field(
        "channels", \.channels, ObjectCodec<ChannelSpec>.channel.codec.list("an array of channels"),
        "The L2CAP channels that it offers. Default: none."),
      Field(
        "uart", \.uart, Codec<SerialPortSpec?>.serialPort,
        "Its serial port, a service of its own; true sends back what it receives. Default: false."),
      Field(
        "smp", \.smp, Codec<SMPSpec?>.smpServer,
        "Its SMP server (MCUmgr), with which its firmware can be updated; true has every default. Default: false."
      ),
      Field(
        "dfu", \.dfu, ObjectCodec<DFUSpec>.dfu.codec,
        "Its update by a boot loader of Nordic's. Default: none."),
      Field("pairing", \.pairing, ObjectCodec<PairingSpec>.pairing.codec, "How it pairs."),
      Field("present", \.isPresent, .flag, "Whether it is in range at the start. Default: true."),
      Field(
        "appears_after", \.appearsAfter, .duration,
        "When it comes into range, counted from the start. Default: never."),
      Field(
        "vanishes_after", \.vanishesAfter, .duration,
        "When it goes out of range, counted from the start. Default: never."),
      Field(
        "faults", \.faults, CommandCodec<PeripheralAction>.faults.codec.list("an array of faults"),
        "Faults that apply from the start. Default: none."),
    ]
  ) { spec, node throws(JSONError) in
    try PeripheralCheck(spec, node).run()
  }
}

extension ObjectCodec<LinkSpec> {
  static let link = ObjectCodec(
    "link", "a link", defaults: LinkSpec(),
    [
      Field(
        "packet_time", \.packetTime, .duration,
        "The time per packet in each direction. Default: 0s."),
      Field(
        "packets", \.packets, Codec<Int>.integer(1...100),
        "How many packets each direction sends at once in that time, which then is a connection interval. Default: 1."
      ),
    ])
}

extension ObjectCodec<AdvertisementSpec> {
  static let advertisement = ObjectCodec(
    "advertisement", "an advertisement", defaults: AdvertisementSpec(),
    [
      Field(
        "flags", \.flags, Codec<UInt8>.integer(0...255).nullable,
        "The flags (AD type 01); null for none. Default: 6, discoverable, LE only."),
      Field(
        "services", \.services, Codec<BluetoothUUID>.service.list("an array of UUIDs"),
        "The advertised services. Default: none."),
      Field(
        "manufacturer_data", \.manufacturerData, .manufacturerData,
        "Data by company identifier. Default: none."),
      Field("service_data", \.serviceData, .serviceData, "Data by service. Default: none."),
      Field(
        "beacons", \.beacons, Codec<BeaconSpec>.beacon.list("an array of beacons"),
        "Further data, by its values instead of its bytes. Default: none."),
      Field(
        "tx_power", \.txPower, .integer(-127...127),
        "The advertised transmission power in dBm. Default: none."),
      Field(
        "appearance", \.appearance, .integer(0...0xFFFF),
        "The advertised appearance, a number assigned by the Bluetooth SIG. Default: none."),
      Field(
        "scan_response", \.scanResponse, .scanResponse,
        "The fields that only the scan response carries; a passive scan does not receive them. Default: none."
      ),
      Field(
        "missed_names", \.missedNames, .integer(0...1_000_000),
        "The number of initial reports without the name. Default: 0."),
      Field("connectable", \.isConnectable, .flag, "Whether it accepts connections. Default: true."),
      Field("interval", \.interval, .interval, "The time between two advertisements. Default: \"200ms\"."),
    ])
}

extension PeripheralSpec {
  /// The key `advertisement`: everything but name and signal strength, which are keys of the peripheral.
  fileprivate var otherAdvertisement: AdvertisementSpec {
    get {
      var other = advertisement
      let defaults = AdvertisementSpec()
      (other.name, other.rssi, other.rssiDrift) = (defaults.name, defaults.rssi, defaults.rssiDrift)
      return other
    }
    set {
      let own = advertisement
      advertisement = newValue
      (advertisement.name, advertisement.rssi, advertisement.rssiDrift) = (own.name, own.rssi, own.rssiDrift)
    }
  }
}

extension ObjectCodec<PairingSpec> {
  static let pairing = ObjectCodec(
    "pairing", "how a peripheral pairs", defaults: PairingSpec(),
    [
      Field(
        "capability", \.capability,
        .words([
          ("none", .none), ("display-only", .displayOnly), ("display-yes-no", .displayYesNo),
          ("keyboard-only", .keyboardOnly), ("keyboard-display", .keyboardDisplay),
        ]), "What its user can do. Default: \"none\"."),
      Field(
        "secure_connections", \.hasSecureConnections, .flag,
        "Whether it supports LE Secure Connections, or legacy pairing only. Default: true."),
      Field(
        "mitm", \.protection, .words([("none", .none), ("wanted", .wanted), ("required", .required)]),
        "Its demand for protection against a man in the middle; \"required\" refuses Just Works. Default: \"none\"."
      ),
      Field(
        "request", \.response, .words([("accept", .accept), ("refuse", .refuse), ("ignore", .ignore)]),
        "What it does with a request to pair. Default: \"accept\"."),
      Field(
        "passkey", \.passkey, Codec.passkey,
        "The passkey that it shows. Default: a random one each time."),
      Field(
        "confirms", \.confirms, .flag,
        "Whether its user confirms the number in a comparison. Default: true."),
      Field(
        "types", \.typing, .words([("right", .right), ("wrong", .wrong), ("never", .never)]),
        "What its user types as the passkey that the other side shows; with \"never\", the command type-passkey types. Default: \"right\"."
      ),
    ])
}

extension Codec<UInt32> {
  static let passkey = word(
    "a passkey of six digits such as \"042017\"", pattern: "^[0-9]{6}$", examples: ["042017"]
  ) {
    PasskeyText.passkey($0)
  } text: {
    PasskeyText.text($0)
  }
}
