// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral
internal import TerminalOutput
internal import ValueStreams

struct ServicesCommand: DeviceCommand {
  static let configuration = CommandConfiguration(
    commandName: "services", abstract: "Show the services, characteristics and descriptors of a device.",
    discussion: """
      blectl services 'MI Band 2' --simulate
      blectl services F0:F1:F2:F3:F4:F5 --read --json --simulate
      """)

  @OptionGroup var target: TargetOptions
  @Flag(help: "Also read all readable values.")
  var read = false
  @OptionGroup var pairing: PairOption
  @OptionGroup(title: CommonOptions.title) var common: CommonOptions

  func validate() throws {
    if pairing.isOn, !read { throw ValidationError("--pair needs --read.") }
  }

  func run(in session: Session) async throws {
    let link = try await Link.open(target, in: session, pairing: PairingOnDemand(pairing, in: session))
    let services = try await link.services()
    let reader = ValueReader(link, session, device: deviceText)
    var values = TreeValues()
    var interruption: BLEError?
    do {
      if read { try await readAll(services, with: reader, session, into: &values) }
    } catch let error as BLEError where error.code != .cancelled {
      // Print what was read before the interruption.
      interruption = error
    }
    try show(TreeRecord(info: link.info, services: services, values: values), session.console)
    if let interruption { throw interruption }
    try reader.finish()
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

  /// Reads all values, or the reasons why they cannot be read.
  private func readAll(
    _ services: [GATTService], with reader: ValueReader, _ session: Session, into values: inout TreeValues
  ) async throws {
    for characteristic in services.flatMap(\.characteristics) {
      if characteristic.properties.contains(.read) {
        let outcome = try await reader.read(characteristic)
        keep(outcome, of: characteristic.id, session, in: &values)
      }
      for descriptor in characteristic.descriptors {
        let outcome = try await reader.read(characteristic, descriptor)
        keep(outcome, of: descriptor.id, session, in: &values)
      }
    }
  }

  /// Keeps a value or an error; text lines have no column for an error, so it goes to stderr.
  private func keep(
    _ outcome: Result<[UInt8], BLEError>, of id: String, _ session: Session, in values: inout TreeValues
  ) {
    switch outcome {
    case .success(let value): values.bytes[id] = value
    case .failure(let error):
      values.errors[id] = error
      if !common.json, !session.console.output.isTerminal {
        session.console.warn(error.description)
      }
    }
  }
}
