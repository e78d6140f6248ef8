// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TestSupport
internal import Testing

/// Everything that must hold on the simulator and on a real bluetoothd alike.
///
/// One test at a time: they share one adapter and its peripherals, as they do in the air.
@Suite("Contract", .serialized, .timeLimit(.minutes(10)))
struct Contract {}

extension Contract {
  /// A manager, which the test has to close.
  static func central(
    adapter: String? = nil, on stage: Task<any Stage, any Error> = Stages.shared
  ) async throws -> CentralManager {
    try await CentralManager(bus: .address(try await stage.value.address), adapter: adapter)
  }

  /// Runs a test with a manager of its own, and closes it.
  static func withCentral<Result>(
    adapter: String? = nil, on stage: Task<any Stage, any Error> = Stages.shared,
    _ body: (CentralManager) async throws -> Result
  ) async throws -> Result {
    let central = try await central(adapter: adapter, on: stage)
    do {
      let result = try await body(central)
      await central.close()
      return result
    } catch {
      await central.close()
      throw error
    }
  }

  /// Runs a test on a connected peripheral of the world.
  static func withPeripheral<Result>(
    _ address: BluetoothAddress, _ body: (Peripheral) async throws -> Result
  ) async throws -> Result {
    try await withCentral { central in
      let peripheral = try await find(address, central)
      try await connect(peripheral)
      return try await body(peripheral)
    }
  }

  /// The peripheral with an address, heard by a scan where BlueZ does not know it.
  static func find(_ address: BluetoothAddress, _ central: CentralManager) async throws -> Peripheral {
    if let known = try await central.knownPeripherals().first(where: { $0.address == address }) {
      return known.peripheral
    }
    return try await hear(address, central)
  }

  /// Waits for an advertisement: BlueZ may forget a device that it knows already at any moment.
  static func hear(_ address: BluetoothAddress, _ central: CentralManager) async throws -> Peripheral {
    for try await event in central.scan(ScanFilter(addresses: [address])) { return event.info.peripheral }
    throw Missing(what: "\(address)")
  }

  /// Connects; BlueZ forgets a device some time after its last link, and it is then looked for again.
  static func connect(_ peripheral: Peripheral) async throws {
    do {
      try await peripheral.connect(timeout: .seconds(40))
    } catch {
      guard error.code == .notFound else { throw error }
      try await find(peripheral.address, peripheral.central).connect(timeout: .seconds(40))
    }
  }

  struct Missing: Error {
    let what: String
  }
}

/// The peripherals of docs/built-in-world.md.
enum BuiltIn {
  static let wristband = address("C8:0F:10:01:02:03")
  static let piano = address("D0:B5:C2:0A:0B:0C")
  static let strap = address("F0:F1:F2:F3:F4:F5")
  static let thermometer = address("E7:10:20:30:40:50")
  static let iBeacon = address("C1:BE:AC:00:00:01")
  static let eddystone = address("C1:BE:AC:00:00:02")
  static let ruuvi = address("C1:BE:AC:00:00:03")
  static let bthome = address("C5:EA:50:00:00:01")
  static let freezer = address("E4:C1:38:56:53:84")
  static let bench = address("C2:B1:EC:00:00:01")
  static let hostile = address("C3:EE:11:00:00:01")
  static let bare = address("C4:BA:4E:00:00:01")
  /// The devices for pairing (docs/pairing-world.md), which are hidden at first.
  static let justWorks = address("C7:B0:4D:00:00:01")
  static let passkeyShown = address("C7:B0:4D:00:00:02")
  static let passkeyTyped = address("C7:B0:4D:00:00:03")
  static let comparison = address("C7:B0:4D:00:00:04")
  static let comparisonNo = address("C7:B0:4D:00:00:05")
  static let refuses = address("C7:B0:4D:00:00:06")
  static let silent = address("C7:B0:4D:00:00:07")
  static let legacy = address("C7:B0:4D:00:00:08")
  static let demandsMITM = address("C7:B0:4D:00:00:09")
  static let passkeyShown2 = address("C7:B0:4D:00:00:0A")
  /// A device that sends another address, until it has bonded.
  static let hidden = address("C7:B0:4D:00:00:0B")
  static let addressOfHidden = address("7A:B0:0D:08:50:77")
  /// The central that is not BlueZ, and the private address that it can send instead.
  static let central = address("F2:CE:17:00:00:01")
  static let addressOfHiddenCentral = address("72:CE:17:AC:9B:96")
  /// The address of no device.
  static let nobody = address("C0:00:00:00:00:01")

  private static func address(_ text: String) -> BluetoothAddress {
    guard let address = BluetoothAddress(text) else { preconditionFailure("not an address: \(text)") }
    return address
  }

  /// A UUID of the Contract Bench.
  static func bench(_ number: UInt16) -> BluetoothUUID {
    let digits = String(number, radix: 16)
    return uuid("b1ec\(String(repeating: "0", count: 4 - digits.count))\(digits)-5c0e-4b1e-a5d2-6b2f0c7e91aa")
  }

  /// A UUID of the wristband's maker.
  static func band(_ number: UInt32) -> BluetoothUUID {
    let digits = String(number, radix: 16)
    return uuid("\(String(repeating: "0", count: 8 - digits.count))\(digits)-0000-3512-2118-0009af100700")
  }

  static func uuid(_ text: String) -> BluetoothUUID {
    guard let uuid = BluetoothUUID(text) else { preconditionFailure("not a UUID: \(text)") }
    return uuid
  }
}
