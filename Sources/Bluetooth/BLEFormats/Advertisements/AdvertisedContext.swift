// SPDX-License-Identifier: MIT

/// The advertised contents of a device besides the data to decode.
///
/// Some formats do not identify themselves: the same bytes mean something else on another device, and the name, the services
/// or the other data of the advertisement tell which one it is.
public struct AdvertisedContext: Sendable, Hashable {
  /// The name; nil if the device sends none.
  public var localName: String?
  /// The UUIDs of the services.
  public var services: [BluetoothUUID]
  /// All manufacturer data and service data.
  public var data: [AdvertisedData]

  /// Creates a context; each parameter sets the property of its name.
  public init(localName: String? = nil, services: [BluetoothUUID] = [], data: [AdvertisedData] = []) {
    (self.localName, self.services, self.data) = (localName, services, data)
  }

  /// The decoded data of known formats, in the order of ``data``.
  public var formats: [any AdvertisedFormat] { data.compactMap { AdvertisedFormats.decode($0, in: self) } }

  /// True if there is manufacturer data of several companies.
  ///
  /// Devices that send values in the place of a company identifier seem to have several, of which only one is current.
  var hasSeveralCompanies: Bool { data.count { if case .manufacturer = $0 { true } else { false } } > 1 }

  /// The data of the first of some services that sends any.
  func serviceData(_ services: [BluetoothUUID]) -> [UInt8]? {
    for service in services {
      for case .service(service, let bytes) in data { return bytes }
    }
    return nil
  }
}
