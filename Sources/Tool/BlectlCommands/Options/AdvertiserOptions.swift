// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments

/// The selection of the advertisers that are heard.
struct AdvertiserOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Only devices that advertise this service, or data of it: 180d, heart-rate; may be repeated.",
      valueName: "uuid"),
    completion: LiveCompletion.service, transform: BluetoothUUID.init(parsingAdvertisedService:))
  var service: [BluetoothUUID] = []
  @Option(
    help: ArgumentHelp(
      "Only devices with data of this company: 004c, apple; may be repeated.", valueName: "id"),
    transform: UInt16.init(parsingCompany:))
  var manufacturer: [UInt16] = []
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only devices at least this strong, such as -70.", valueName: "dbm"))
  var rssi: Int?

  func validate() throws {
    if let rssi, !(-127...20).contains(rssi) {
      let advice = (21...127).contains(rssi) ? "; did you mean -\(rssi)?" : "."
      throw ValidationError("--rssi must be between -127 and 20, not \(rssi)\(advice)")
    }
  }

  /// The services and the companies whose data is wanted.
  var senders: Set<AdvertisedData.Sender> {
    Set(service.map { .service($0) } + manufacturer.map { .company($0) })
  }

  var filter: ScanFilter {
    var filter = ScanFilter(services: service, manufacturers: manufacturer, minimumRSSI: rssi)
    filter.matchesServiceData = true
    return filter
  }
}

enum ScanHelp {
  static let passive: ArgumentHelp =
    "Listen without requesting scan responses. bluetoothd must run with --experimental."

  static let reconnect: ArgumentHelp =
    "Wait for the bus, bluetoothd, the adapter and a broker, at the start and whenever they are away."

  /// Adds a hint to the error of a passive scan that bluetoothd does not offer.
  static func explainingPassive(_ isPassive: Bool, _ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as BLEError where isPassive && error.code == .notSupported {
      var error = CommandError(error)
      error.hint =
        "start bluetoothd with --experimental, or with Experimental=true in /etc/bluetooth/main.conf"
      throw error
    }
  }
}
