// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import ValueStreams

/// The maker and the model of a device, as far as its values show them.
struct DeviceOrigin {
  private(set) var manufacturer: String?
  private(set) var model: String?

  private static let makers = [
    "atc": "Xiaomi", "govee": "Govee", "inkbird": "Inkbird", "mibeacon": "Xiaomi", "pvvx": "Xiaomi",
    "qingping": "Qingping", "ruuvi": "Ruuvi", "ruuvi-air": "Ruuvi", "shelly": "Shelly",
    "switchbot": "SwitchBot", "thermopro": "ThermoPro", "victron": "Victron Energy",
    "xiaomi-scale": "Xiaomi",
  ]

  /// Returns whether something is known that was not.
  mutating func take(_ decoded: DecodedFields, of origin: ValueOrigin) -> Bool {
    let before = (manufacturer, model)
    if origin.isAdvertised {
      manufacturer = manufacturer ?? origin.format.flatMap { Self.makers[$0] }
      if case .text(let name)? = decoded["model"] { model = name }
    } else {
      if case .text(let name)? = decoded["manufacturer_name"] { manufacturer = name }
      if case .text(let name)? = decoded["model_number"] { model = name }
    }
    return before != (manufacturer, model)
  }
}
