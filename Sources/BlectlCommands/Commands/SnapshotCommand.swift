// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlueZSimulator

struct SnapshotCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot", abstract: "Write a device as a world file, to simulate it.",
    discussion: """
      blectl snapshot 'MI Band 2' --simulate > band.json
      blectl services 'MI Band 2' --read --simulate=band.json

      What it advertises, its services with their handles, and every value that can be read; signal strength and \
      what it would notify are not recorded. What it refuses to give is said on stderr, and refused by the \
      simulated device, too.
      """)

  @OptionGroup var target: TargetOptions
  @OptionGroup var common: CommonOptions
  var deviceText: String? { target.device.description }

  func run(in session: Session) async throws {
    let heard = try await listen(session)
    let recorder = SnapshotRecorder(try await Link.open(target, in: session), session)
    let services = try await recorder.services()
    let peripheral = heard.peripheral(named: recorder.name, services: services, mtu: recorder.mtu)
    let world = World(peripherals: [peripheral])
    try session.console.write(bytes: common.json ? world.jsonLine : world.json)
  }

  /// What the device advertises: all that is heard of it within a second.
  private func listen(_ session: Session) async throws -> PeripheralInfo {
    let central = try await session.central()
    let locator = DeviceLocator(target.device, pick: target.pick, central: central, session: session)
    var info = try await locator.find()
    guard !info.isConnected else { return info }
    let address = info.address
    info = try await session.showingProgress("listening to \(info.name ?? address.description)") {
      var latest = info
      let end = ContinuousClock.now + .seconds(1)
      var events = central.scan(ScanFilter(addresses: [address])).makeAsyncIterator()
      while let batch = try await events.nextBatch(until: end), .now < end {
        latest = batch.elements.last { $0.kind != .lost }?.info ?? latest
      }
      return latest
    }
    if info.tellsServicesOfServer {
      session.remark(
        "blectl: what services \(address) advertises is not known any more, since BlueZ has seen those that it has; "
          + "after 'bluetoothctl remove \(address)' they are recorded")
    }
    return info
  }
}

extension PeripheralInfo {
  /// Whether BlueZ tells the services of the GATT server in the place of those that are advertised.
  fileprivate var tellsServicesOfServer: Bool {
    advertisement.serviceUUIDs.contains(BluetoothUUID(short: 0x1800))
  }

  /// The device as a simulated one.
  fileprivate func peripheral(named name: String?, services: [ServiceSpec], mtu: UInt16?) -> PeripheralSpec {
    var heard = AdvertisementSpec(name: self.name ?? name)
    if !tellsServicesOfServer {
      heard.services = advertisement.serviceUUIDs.sorted()
    }
    heard.manufacturerData = advertisement.manufacturerData.sorted { $0.key < $1.key }
      .map { .init(company: $0.key, bytes: $0.value) }
    heard.serviceData = advertisement.serviceData.map { .init(service: $0.key, bytes: $0.value) }
      .sorted { $0.service < $1.service }
    heard.txPower = advertisement.txPower.map { Int16(clamping: $0) }
    // An appearance of 0 says "unknown".
    heard.appearance = advertisement.appearance.flatMap { $0 == 0 ? nil : $0 }
    return PeripheralSpec(
      address: address.description, isAddressPublic: addressType == .public, advertisement: heard,
      services: services, mtu: mtu ?? 517)
  }
}
