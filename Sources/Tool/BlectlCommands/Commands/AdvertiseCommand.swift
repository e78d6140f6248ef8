// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLEPeripheral
internal import BlectlArguments
internal import BlectlSession

struct AdvertiseCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "advertise", _superCommandName: Blectl.name,
    abstract: "Advertise a beacon, a sensor or any data, until Ctrl-C.",
    discussion: """
      blectl advertise --bthome temperature=21.5,battery=80 --duration 1s --simulate
      blectl advertise --eddystone-url https://example.com --duration 1s --simulate
      blectl advertise --manufacturer ffff:0102 --duration 1s --json --simulate
      blectl advertise Garden --duration 1s --simulate

      An advertisement has room for 31 bytes: a UUID of 16 bits takes 4, one of 128 bits 18, an iBeacon 27. The name has \
      29 bytes of its own. What does not fit is named, with the size of each part, before anything is sent.

      POWER is the strength at one metre in dBm, -59 by default; for Eddystone that at 0 m, -18 by default. The keys of \
      --bthome are those that 'scan --json' prints, with or without their unit: temperature, humidity, battery, motion, \
      button; docs/adverts.md lists them.

      With a world file, the advertisement of one of its devices is sent, and changes as it does in 'simulate': values count, \
      swing or are replayed. The device then accepts connections, because its address would change with each value.

      No service is offered: --service only announces one. Without --connectable, the address is random. When bluetoothd \
      restarts, the advertisement is sent again. 'blectl simulate --adapters 2' simulates a second adapter that hears it.
      """)

  @Argument(
    help: ArgumentHelp(
      "A world file, or the name of a built-in device, to advertise as it does.", valueName: "world.json"),
    completion: .file(extensions: ["json"]))
  var world: String?
  @Argument(help: "Which device of the file: its name or address. Default: the only one.")
  var peripheral: String?
  @Option(help: ArgumentHelp("The name, of up to 29 bytes.", valueName: "text"))
  var name: String?
  @Option(
    help: ArgumentHelp("Announce this service: 180d, heart-rate; may be repeated.", valueName: "uuid"),
    completion: LiveCompletion.service, transform: BluetoothUUID.init(parsingService:))
  var service: [BluetoothUUID] = []
  @Option(
    help: ArgumentHelp("Data of this company: 004c:0215…; may be repeated.", valueName: "id:hex"),
    transform: AdvertisedData.init(parsingManufacturer:))
  var manufacturer: [AdvertisedData] = []
  @Option(
    help: ArgumentHelp("Data of this service: 181a:0102…; may be repeated.", valueName: "uuid:hex"),
    transform: AdvertisedData.init(parsingService:))
  var serviceData: [AdvertisedData] = []
  @Option(
    name: .customLong("ibeacon"),
    help: ArgumentHelp("An iBeacon.", valueName: "uuid,major,minor[,power]"),
    transform: IBeacon.init(parsing:))
  var iBeacon: IBeacon?
  @Option(
    name: .customLong("altbeacon"),
    help: ArgumentHelp(
      "An AltBeacon: 20 bytes, or UUID,MAJOR,MINOR; of company 0118 by default.",
      valueName: "[company:]id[,power]"),
    transform: AltBeacon.init(parsing:))
  var altBeacon: AltBeacon?
  @Option(
    name: .customLong("eddystone-url"),
    help: ArgumentHelp("An Eddystone-URL: https://… of up to 17 compressed bytes.", valueName: "url"),
    transform: Eddystone.init(parsingURL:))
  var eddystoneURL: Eddystone?
  @Option(
    name: .customLong("eddystone-uid"),
    help: ArgumentHelp("An Eddystone-UID: 10 and 6 bytes.", valueName: "namespace,instance[,power]"),
    transform: Eddystone.init(parsingUID:))
  var eddystoneUID: Eddystone?
  @Option(
    name: .customLong("bthome"),
    help: ArgumentHelp("A sensor of BTHome 2: temperature=21.5,battery=80.", valueName: "key=value,…"),
    transform: BTHome.init(parsingArgument:))
  var btHome: BTHome?
  @Flag(help: "Let centrals connect, at the address of the adapter.")
  var connectable = false
  @Option(
    help: ArgumentHelp(
      "How often to send, 20ms to 10240ms; BlueZ before 5.77 ignores it. (default: BlueZ's choice)",
      valueName: "duration"), transform: DurationArgument.init(parsing:))
  var interval: DurationArgument?
  @Option(
    help: ArgumentHelp(
      "Send an extended advertisement on this PHY: 1m, 2m or coded. Older devices do not hear it.",
      valueName: "phy"),
    completion: .list(LinkPHY.allWords), transform: { try LinkPHY(word: $0, of: "PHY") })
  var secondary: LinkPHY?
  @Option(
    help: ArgumentHelp("How long to advertise; 0 is no limit. (default: 0)", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var duration = DurationArgument(nil)
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func validate() throws {
    if name?.isEmpty == true { throw ValidationError("--name is empty.") }
    do {
      let advertisement = try advertisement()
      let isEmpty = advertisement == Advertisement(isConnectable: false)
      if world != nil {
        if !isEmpty {
          throw ValidationError("a world file and options for what is advertised cannot be used together.")
        }
        return
      }
      if isEmpty {
        throw ValidationError(
          "nothing to advertise; use --name, --service, --bthome or another option, or a world file")
      }
      try advertisement.check()
    } catch let error as BLEError {
      throw ValidationError(error.message)
    }
  }

  private func advertisement() throws(ArgumentError) -> Advertisement {
    let interval = interval.map { $0.limit ?? .zero }
    var advertisement = Advertisement(
      name: name, services: service, isConnectable: connectable, interval: interval.map { $0...$0 })
    advertisement.secondaryChannel = secondary.map { phy in
      switch phy {
      case .oneM: .oneM
      case .twoM: .twoM
      case .coded: .coded
      }
    }
    do throws(FormatError) {
      for data in manufacturer + serviceData { try advertisement.add(data) }
      let formats: [(any EncodableFormat)?] = [iBeacon, altBeacon, eddystoneURL, eddystoneUID, btHome]
      for format in formats.compactMap(\.self) { try advertisement.add(format) }
    } catch {
      throw ArgumentError(error)
    }
    return advertisement
  }

  func run(in context: CommandContext) async throws {
    let advertisement = try advertisement()
    let chosen = try world.map { try ServedWorld($0, peripheral, to: "advertise") }
    let manager = try await context.bus.peripheralManager()
    // Reports must not delay the end of the advertisement, or its return after an outage.
    let outputs = StreamOutputs.ofRecords(in: context)
    try await outputs.collect { [self] in
      let broadcast =
        if let chosen {
          await Broadcast(chosen.peripheral, by: manager, outputs: outputs, context: context)
        } else {
          Broadcast(advertisement, by: manager, outputs: outputs, context: context)
        }
      try await run(broadcast, by: manager)
    }
  }

  private func run(_ broadcast: Broadcast, by manager: PeripheralManager) async throws {
    do {
      try await broadcast.run(for: duration.limit)
    } catch {
      await manager.close()
      guard secondary != nil, let error = error as? BLEError, error.action == .advertise else { throw error }
      var explained = CommandError(error)
      explained.hint = "without --secondary, if the adapter has no extended advertising"
      throw explained
    }
    await manager.close()
  }
}
