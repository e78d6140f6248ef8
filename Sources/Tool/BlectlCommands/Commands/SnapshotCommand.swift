// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import AsyncIO
internal import BLECentral
internal import BLEWorld
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput

struct SnapshotCommand: DeviceCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot", _superCommandName: Blectl.name,
    abstract: "Write a device as a world file, to simulate it.",
    discussion: """
      blectl snapshot 'MI Band 2' --simulate > band.json
      blectl services 'MI Band 2' --read --simulate=band.json
      blectl snapshot Garden --beacon --simulate
      blectl snapshot Garden --beacon --listen 1500ms --simulate

      The file contains the advertisement, the services with their handles, and every readable value, but not the signal \
      strength or any notifications. Values that the device refuses are reported on stderr, and the simulated device \
      refuses them too. Advertised data that changes within --listen is recorded as a sequence, with its times: record a \
      sensor for a minute, and 'simulate', 'serve' and 'advertise' play it. 'serve' offers the recorded device over the air.
      """)

  @Flag(help: "Record only the advertisement, without connecting: of a beacon, which accepts no connection.")
  var beacon = false
  @Option(
    help: ArgumentHelp(
      "Listen to its advertisements this long, and record what changes as a sequence. (default: 1s, without changes)",
      valueName: "duration"), transform: DurationArgument.init(parsing:))
  var listen: DurationArgument?
  @OptionGroup var target: TargetOptions
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func validate() throws {
    if let listen, listen.limit == nil { throw ValidationError("--listen needs a limit, such as 1m.") }
  }

  func run(in context: CommandContext) async throws {
    let deadline = Deadline(after: context.timeout.map { $0 + (listen?.limit ?? .zero) })
    let (heard, changes) = try await hear(context)
    let end = LoopClock.now
    var peripheral: PeripheralSpec
    var recorder: SnapshotRecorder?
    if beacon {
      peripheral = heard.peripheral(named: nil, services: [], mtu: nil)
      peripheral.advertisement.isConnectable = false
    } else {
      let link = try await DeviceConnection.open(target.choice, in: context, within: deadline.remaining)
      let reading = SnapshotRecorder(link, context)
      let services = try await reading.services()
      peripheral = heard.peripheral(named: reading.name, services: services, mtu: reading.mtu)
      recorder = reading
    }
    if heard.name != heard.advertisement.localName { peripheral.comment = heard.name }
    changes.apply(to: &peripheral.advertisement, until: end)
    try write(peripheral, context)
    try recorder?.requireAll()
  }

  private func write(_ peripheral: PeripheralSpec, _ context: CommandContext) throws {
    let world = World(bluez: BlueZRelease(showing: peripheral), peripherals: [peripheral])
    try context.console.write(bytes: common.json ? world.jsonLine : world.json)
  }

  /// The advertised data within the time to listen, a second or longer, from the first advertisement on.
  private func hear(_ context: CommandContext) async throws -> (PeripheralInfo, AdvertisementRecorder) {
    let central = try await context.bus.central()
    let locator = DeviceLocator(target.device, pick: target.pick, central: central, context: context)
    var info = try await locator.find()
    guard !info.isConnected else { return (info, AdvertisementRecorder()) }
    let (address, limit) = (info.address, locator.remaining)
    let isRecording = listen != nil
    let length = listen?.limit ?? .seconds(1)
    let changes: AdvertisementRecorder
    (info, changes) = try await context.showingProgress("listening to \(info.name ?? address.description)") {
      var (latest, recorder) = (info, AdvertisementRecorder())
      var end = limit.map { LoopClock.now + $0 }
      var isHeard = false
      var events = central.scan(ScanFilter(addresses: [address]), reportsDuplicates: isRecording)
        .makeAsyncIterator()
      while let batch = try await events.nextBatch(until: end), end.map({ LoopClock.now < $0 }) ?? true {
        for event in batch.elements where event.kind != .lost {
          latest = event.info
          // Without an RSSI, BlueZ knows the device but has not heard it yet.
          guard latest.rssi != nil else { continue }
          if isRecording { recorder.take(latest.advertisement, at: LoopClock.now) }
          if !isHeard {
            isHeard = true
            end = LoopClock.now + length
          }
        }
      }
      return (latest, recorder)
    }
    if info.reportsServicesOfServer {
      context.remark(
        "blectl: the advertised services of \(address) are unknown, because BlueZ now reports those of its GATT server; "
          + "to record them, run 'blectl forget \(address)' first")
    }
    return (info, changes)
  }
}

extension BlueZRelease {
  /// The version that shows the device as it was seen: only newer ones show Generic Access.
  fileprivate init(showing device: PeripheralSpec) {
    self = device.services.contains { $0.uuid == BluetoothUUID(short: 0x1800) } ? .v5_82 : .v5_66
  }
}

extension PeripheralInfo {
  /// True if BlueZ reports the services of the GATT server instead of the advertised ones.
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
