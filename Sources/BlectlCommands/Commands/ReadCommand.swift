// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import DBus

struct ReadCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "read", abstract: "Read characteristics.",
    discussion: """
      blectl read 'MI Band 2' 2a28 --as utf8 --simulate
      blectl read F0:F1:F2:F3:F4:F5 battery-level 180a/2a29 --json --simulate
      blectl read Thermometer 2a6e --as i16 --every 1s --count 3 --simulate
      """)

  @OptionGroup var target: TargetOptions
  @Argument(
    help: "What to read: a UUID or its name, SERVICE/CHAR, or @HANDLE as 'services' prints it.",
    completion: LiveCompletion.characteristic, transform: CharacteristicArgument.init(parsing:))
  var characteristics: [CharacteristicArgument]
  @Option(
    name: .customLong("as"), help: ArgumentHelp("How to show values: hex, utf8, u16, …", valueName: "format"),
    completion: LiveCompletion.format, transform: ValueFormat.init(typed:))
  var format: ValueFormat?
  @Option(
    help: ArgumentHelp("Read this descriptor of the characteristic instead.", valueName: "uuid"),
    completion: LiveCompletion.descriptor, transform: BluetoothUUID.init(parsingDescriptor:))
  var descriptor: BluetoothUUID?
  @Option(
    help: ArgumentHelp("Read again and again, this long apart.", valueName: "duration"),
    transform: DurationArgument.init(parsing:))
  var every: DurationArgument?
  @Option(help: ArgumentHelp("End after this many rounds; with --every.", valueName: "n"))
  var count: Int?
  @OptionGroup var common: CommonOptions
  var deviceText: String? { target.device.description }

  func validate() throws {
    if characteristics.isEmpty { throw ValidationError("Say which characteristic to read.") }
    if let count, count < 1 { throw ValidationError("--count begins at 1.") }
    if count != nil, every == nil { throw ValidationError("--count counts the rounds of --every.") }
  }

  func run(in session: Session) async throws {
    let link = try await Link.open(target, in: session)
    let found = try await link.characteristics(characteristics)
    let output = ValueOutput(
      console: session.console, isJSON: common.json, format: format, showsTime: every != nil,
      showsCharacteristic: found.count > 1)
    let rounds = every == nil ? 1 : count ?? .max
    for round in 1...rounds {
      for characteristic in found { try output.write([try await read(characteristic, link, session)]) }
      if let pause = every?.limit, round < rounds { try await session.loop.sleep(for: pause) }
    }
  }

  private func read(
    _ characteristic: GATTCharacteristic, _ link: Link, _ session: Session
  ) async throws -> ValueRecord {
    let descriptor = try descriptor.map { try characteristic.descriptor($0) }
    let timeout = session.timeout
    let value = try await session.showingProgress("reading \(descriptor?.uuid ?? characteristic.uuid)") {
      try await link.perform { peripheral throws(BLEError) in
        if let descriptor { return try await peripheral.readValue(for: descriptor, timeout: timeout) }
        return try await peripheral.readValue(for: characteristic, timeout: timeout)
      }
    }
    let meaning =
      descriptor.map { ValueMeaning(of: $0, in: characteristic) } ?? ValueMeaning(of: characteristic.uuid)
    return ValueRecord(
      time: .now, address: link.info.address, characteristic: characteristic, descriptor: descriptor,
      value: value, meaning: meaning, way: .read)
  }
}
