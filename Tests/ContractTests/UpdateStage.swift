// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEFormats
internal import BLEUpdate
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport

/// A simulated device whose firmware is updated.
struct UpdateStage {
  let simulated: SimulatedBus
  let central: CentralManager
  let peripheral: Peripheral

  static let address = BuiltIn.updated

  /// Runs a test with a device, heard by a scan.
  static func with<Result>(
    smp: SMPSpec? = nil, dfu: DFUSpec? = nil, mtu: UInt16 = 247, pairing: PairingSpec = PairingSpec(),
    privateAddress: BluetoothAddress? = nil, hasBattery: Bool = true, beside others: [PeripheralSpec] = [],
    _ body: (UpdateStage) async throws -> Result
  ) async throws -> Result {
    VirtualTime.begin()
    let device = PeripheralSpec(
      address: "\(address)", privateAddress: privateAddress.map { "\($0)" },
      advertisement: AdvertisementSpec(name: "Updated"),
      services: hasBattery
        ? [ServiceSpec(.batteryService, [CharacteristicSpec(.batteryLevel, .read, value: [80])])] : [],
      smp: smp, dfu: dfu, mtu: mtu, pairing: pairing)
    return try await withSimulator(world: World(peripherals: [device] + others)) { simulated in
      let central = try await CentralManager(bus: .address(simulated.address))
      do {
        let known =
          BluetoothAddress(dfu?.startsInBootloader == true ? device.bootloaderAddress ?? "" : "")
          ?? privateAddress ?? address
        let peripheral = try await Contract.hear(known, central)
        let result = try await body(
          UpdateStage(simulated: simulated, central: central, peripheral: peripheral))
        await central.close()
        return result
      } catch {
        await central.close()
        throw error
      }
    }
  }

  /// Updates the device.
  func update(
    _ firmware: Firmware, _ change: (inout FirmwareUpdate.Options) -> Void = { _ in },
    progress: @escaping @Sendable (UpdateProgress) -> Void = { _ in }
  ) async throws(UpdateError) -> UpdateResult {
    var options = FirmwareUpdate.Options()
    change(&options)
    return try await FirmwareUpdate(firmware, options: options).run(on: peripheral, progress: progress)
  }

  /// Updates the device, and pairs with it by Just Works if it requires that.
  func updatePairing(_ firmware: Firmware) async throws(UpdateError) -> UpdateResult {
    let agent = JustWorksAgent()
    return try await update(firmware) { options in
      options.pairing = UpdatePairing { peripheral in
        try await peripheral.connect()
        try await peripheral.pair(using: agent)
      }
    }
  }

  /// Expects that an update fails, and returns the error.
  func failure(
    _ firmware: Firmware, _ change: (inout FirmwareUpdate.Options) -> Void = { _ in }
  ) async -> UpdateError? {
    do throws(UpdateError) {
      _ = try await update(firmware, change)
      return nil
    } catch {
      return error
    }
  }

  /// The firmware of the device, as the device has it.
  var state: FirmwareState? { get async { await simulated.simulator.firmware(of: "\(Self.address)") } }

  /// The bytes that run, as the device has them.
  var running: [UInt8]? {
    get async {
      let slots = await state?.slots ?? []
      return (slots.first { $0.flags.contains("active") } ?? slots.first { $0.name == "application" })?.bytes
    }
  }

  // MARK: Firmware

  /// An image of MCUboot, and its bytes.
  static func image(_ version: String = "2.0.0", size: Int = 20_000) throws -> (Firmware, [UInt8]) {
    guard let bytes = SampleFirmware.image(version, size: size, seed: 7) else {
      throw Contract.Missing(what: version)
    }
    return (try Firmware(bytes, named: "app.bin"), bytes)
  }

  /// A package of an application for one of Nordic's bootloaders, and the bytes of the application.
  static func package(_ kind: DFUSpec.Kind, size: Int = 20_000) throws -> (Firmware, [UInt8]) {
    let program = SampleFirmware.code(size, seed: 9)
    let zip = SampleFirmware.package(kind, of: program, version: 20000)
    return (try Firmware(zip, named: "app.zip"), program)
  }

  /// A package of a SoftDevice with a bootloader, and an application, for Secure DFU; and the bytes of the application.
  static func twoParts(_ first: Int = 16_000, _ second: Int = 20_000) throws -> (Firmware, [UInt8]) {
    let (system, program) = (SampleFirmware.code(first, seed: 3), SampleFirmware.code(second, seed: 9))
    let manifest = """
      {"manifest": {"application": {"bin_file": "app.bin", "dat_file": "app.dat"},
        "softdevice_bootloader": {"bin_file": "sb.bin", "dat_file": "sb.dat"}}}
      """
    let zip = StoredZip.bytes([
      ("manifest.json", Array(manifest.utf8)), ("sb.bin", system), ("app.bin", program),
      ("sb.dat", SampleFirmware.secureInit(for: system, version: 2, kind: .softDeviceAndBootloader)),
      ("app.dat", SampleFirmware.secureInit(for: program, version: 20000)),
    ])
    return (try Firmware(zip, named: "two.zip"), program)
  }
}

extension BuiltIn {
  /// The device of ``UpdateStage``.
  static let updated = BluetoothAddress(number: 0xc60d_a7e0_0a01) ?? nobody
}
