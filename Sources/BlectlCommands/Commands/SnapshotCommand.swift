// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLECentral
internal import BLEWorld
internal import BlectlSession
internal import TerminalOutput

struct SnapshotCommand: DeviceCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot", abstract: "Write a device as a world file, to simulate it.",
    discussion: """
      blectl snapshot 'MI Band 2' --simulate > band.json
      blectl services 'MI Band 2' --read --simulate=band.json
      blectl snapshot Garden --beacon --simulate

      The file contains the advertisement, the services with their handles, and every readable value, but not the signal \
      strength or any notifications. Values that the device refuses are reported on stderr, and the simulated device \
      refuses them too. 'serve' offers the recorded device over the air.
      """)

  @Flag(help: "Record only the advertisement, without connecting: of a beacon, which accepts no connection.")
  var beacon = false
  @OptionGroup var target: TargetOptions
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func run(in context: CommandContext) async throws {
    let heard = try await listen(context)
    if beacon {
      var peripheral = heard.peripheral(named: nil, services: [], mtu: nil)
      peripheral.advertisement.isConnectable = false
      return try write(peripheral, context)
    }
    let recorder = SnapshotRecorder(try await DeviceConnection.open(target.choice, in: context), context)
    let services = try await recorder.services()
    try write(heard.peripheral(named: recorder.name, services: services, mtu: recorder.mtu), context)
  }

  private func write(_ peripheral: PeripheralSpec, _ context: CommandContext) throws {
    let world = World(bluez: BlueZRelease(showing: peripheral), peripherals: [peripheral])
    try context.console.write(bytes: common.json ? world.jsonLine : world.json)
  }

  /// The advertised data within a second of the first advertisement.
  private func listen(_ context: CommandContext) async throws -> PeripheralInfo {
    let central = try await context.bus.central()
    let locator = DeviceLocator(target.device, pick: target.pick, central: central, context: context)
    var info = try await locator.find()
    guard !info.isConnected else { return info }
    let (address, limit) = (info.address, locator.remaining)
    info = try await context.showingProgress("listening to \(info.name ?? address.description)") {
      var latest = info
      var end = limit.map { LoopClock.now + $0 }
      var isHeard = false
      var events = central.scan(ScanFilter(addresses: [address])).makeAsyncIterator()
      while let batch = try await events.nextBatch(until: end), end.map({ LoopClock.now < $0 }) ?? true {
        latest = batch.elements.last { $0.kind != .lost }?.info ?? latest
        // Without an RSSI, BlueZ knows the device but has not heard it yet.
        if !isHeard, latest.rssi != nil {
          isHeard = true
          let second = LoopClock.now + .seconds(1)
          end = end.map { min($0, second) } ?? second
        }
      }
      return latest
    }
    if info.reportsServicesOfServer {
      context.remark(
        "blectl: the advertised services of \(address) are unknown, because BlueZ now reports those of its GATT server; "
          + "to record them, run 'blectl forget \(address)' first")
    }
    return info
  }
}

extension BlueZRelease {
  /// The version that shows the device as it was seen: only newer ones show Generic Access.
  fileprivate init(showing device: PeripheralSpec) {
    self = device.services.contains { $0.uuid == BluetoothUUID(short: 0x1800) } ? .v5_82 : .v5_66
  }
}

extension PeripheralInfo {
  /// Whether BlueZ reports the services of the GATT server instead of the advertised ones.
  fileprivate var reportsServicesOfServer: Bool {
    advertisement.serviceUUIDs.contains(BluetoothUUID(short: 0x1800))
  }

  /// The device as a specification for the simulator.
  fileprivate func peripheral(named name: String?, services: [ServiceSpec], mtu: UInt16?) -> PeripheralSpec {
    var heard = AdvertisementSpec(name: advertisement.localName ?? name)
    if !reportsServicesOfServer {
      heard.services = advertisement.serviceUUIDs.sorted()
    }
    heard.manufacturerData = advertisement.manufacturerData.sorted { $0.key < $1.key }
      .map { .init(company: $0.key, bytes: $0.value) }
    heard.serviceData = advertisement.serviceData.map { .init(service: $0.key, bytes: $0.value) }
      .sorted { $0.service < $1.service }
    heard.txPower = advertisement.txPower.map { Int16(clamping: $0) }
    // An appearance of 0 means "unknown".
    heard.appearance = advertisement.appearance.flatMap { $0 == 0 ? nil : $0 }
    return PeripheralSpec(
      address: address.description, isAddressPublic: addressType == .public, advertisement: heard,
      services: services, mtu: mtu ?? 517)
  }
}
