// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import BlectlArguments
internal import BlectlSession
internal import TerminalOutput
internal import ValueStreams

struct ServicesCommand: DeviceCommand, PairingCommand {
  static let configuration = CommandConfiguration(
    commandName: "services", _superCommandName: Blectl.name,
    abstract: "Show services, characteristics and descriptors of a device.",
    discussion: """
      blectl services 'MI Band 2' --simulate
      blectl services F0:F1:F2:F3:F4:F5 --read --json --simulate
      """)

  @OptionGroup var target: TargetOptions
  @Flag(help: "Also read all readable values.")
  var read = false
  @Flag(help: PairingHelp.pair) var pair = false
  @Option(help: PairingHelp.passkey, transform: Passkey.init(parsing:)) var passkey: Passkey?
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func validate() throws {
    try validatePairing()
    if pair, !read { throw ValidationError("--pair needs --read.") }
  }

  func run(in context: CommandContext) async throws {
    let link = try await DeviceConnection.open(
      target.choice, in: context, pairing: PairingOnDemand(pairingAnswers, in: context))
    let services = try await link.services()
    let reader = ValueReader(link, context)
    var values = TreeValues()
    var readings: [Reading] = []
    var interruption: CommandError?
    let attributes = read ? readable(services) : []
    do {
      for attribute in attributes {
        let reading = try await reader.read(attribute.characteristic, attribute.descriptor)
        keep(reading, of: attribute.descriptor?.id ?? attribute.characteristic.id, context, in: &values)
        readings.append(reading)
      }
    } catch let error as BLEError where error.code != .cancelled {
      // Print the values from before the interruption.
      var failure = CommandError(error, device: link.title)
      failure.details.append(
        "\(attributes.count - readings.count) of \(attributes.count) values were not read")
      interruption = failure
    }
    try show(TreeRecord(info: link.info, services: services, values: values), context.console)
    if let interruption { throw interruption }
    try Reading.requireAll(readings, of: link.title)
  }

  private func show(_ tree: TreeRecord, _ console: Console) throws {
    if common.json {
      try console.write(tree)
    } else if console.output.isTerminal {
      try console.write(
        lines: TreeText.lines(tree, width: console.output.size?.columns, style: console.output.style))
    } else {
      try console.write(lines: TreeText.records(tree))
    }
  }

  /// All readable characteristics, and all descriptors.
  private func readable(
    _ services: [GATTService]
  ) -> [(characteristic: GATTCharacteristic, descriptor: GATTDescriptor?)] {
    services.flatMap(\.characteristics).flatMap { characteristic in
      (characteristic.properties.contains(.read) ? [(characteristic, nil)] : [])
        + characteristic.descriptors.map { (characteristic, $0) }
    }
  }

  /// Keeps a value or an error; text lines have no column for an error, so it goes to stderr.
  private func keep(
    _ reading: Reading, of id: String, _ context: CommandContext, in values: inout TreeValues
  ) {
    switch reading {
    case .value(let value), .misfit(let value, _): values.bytes[id] = value.value
    case .failure(let error, let named, _):
      values.errors[id] = error
      if !common.json, !context.console.output.isTerminal { context.console.warn(named.message) }
    }
  }
}
