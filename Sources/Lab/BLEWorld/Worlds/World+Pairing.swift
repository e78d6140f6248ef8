// SPDX-License-Identifier: MIT
internal import BLEFormats

extension World {
  /// The devices for pairing, hidden at first (docs/pairing-world.md).
  package static let pairing: [PeripheralSpec] = [
    peer("Just Works", 1, PairingSpec()),
    peer(
      "Passkey Shown", 2, PairingSpec(.displayOnly, protection: .wanted, passkey: 42017)),
    peer("Passkey Typed", 3, PairingSpec(.keyboardOnly, protection: .wanted, typing: .never)),
    peer("Comparison", 4, PairingSpec(.displayYesNo, protection: .wanted)),
    peer("Comparison No", 5, PairingSpec(.displayYesNo, protection: .wanted, confirms: false)),
    peer("Refuses", 6, PairingSpec(response: .refuse)),
    peer("Silent", 7, PairingSpec(response: .ignore)),
    peer(
      "Legacy", 8,
      PairingSpec(
        .keyboardDisplay, hasSecureConnections: false, protection: .wanted, passkey: 42017, typing: .never)),
    peer(
      "Demands MITM", 9,
      PairingSpec(.keyboardDisplay, protection: .required, passkey: 42017, typing: .never)),
    peer("Passkey Shown 2", 10, PairingSpec(.displayOnly, protection: .wanted, passkey: 999_999)),
    peer("Private", 11, PairingSpec(), privateAddress: "7A:B0:0D:08:50:77"),
  ]

  private static func peer(
    _ name: String, _ number: UInt8, _ pairing: PairingSpec, privateAddress: String? = nil
  ) -> PeripheralSpec {
    PeripheralSpec(
      address: "C7:B0:4D:00:00:\(Hex.string([number]).uppercased())", privateAddress: privateAddress,
      advertisement: AdvertisementSpec(name: name, rssi: -50),
      services: [
        ServiceSpec(
          uuid(0x0003),
          [
            attribute(0x0301, "open", .none), attribute(0x0302, "encrypted", .encrypted),
            attribute(0x0303, "authenticated", .authenticated),
            attribute(0x0304, "secure", .secureConnections),
            echo(0x0305, .encrypted), echo(0x0306, .authenticated), echo(0x0307, .none),
          ])
      ], pairing: pairing, isPresent: false)
  }

  private static func attribute(
    _ number: UInt32, _ text: String, _ security: AttributeSecurity
  ) -> CharacteristicSpec {
    CharacteristicSpec(uuid(number), 0x0A, value: Array(text.utf8), security: security)
  }

  private static func echo(_ number: UInt32, _ security: AttributeSecurity) -> CharacteristicSpec {
    CharacteristicSpec(uuid(number), 0x18, writing: .echo(to: uuid(number)), security: security)
  }

  /// `B1ECxxxx-5C0E-4B1E-A5D2-6B2F0C7E91AA`.
  private static func uuid(_ number: UInt32) -> BluetoothUUID {
    BluetoothUUID(0xB1EC_0000 + number, base: 0x5c0e_4b1e_a5d2_6b2f_0c7e_91aa)
  }
}
