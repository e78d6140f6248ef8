// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLECentral

struct ServicesCommand: BlectlCommand {
  static let configuration = CommandConfiguration(
    commandName: "services", abstract: "Show the services, characteristics and descriptors of a device.",
    discussion: """
      blectl services 'MI Band 2' --simulate
      blectl services F0:F1:F2:F3:F4:F5 --read --json --simulate
      """)

  @OptionGroup var target: TargetOptions
  @Flag(help: "Read the values that can be read.")
  var read = false
  @OptionGroup var common: CommonOptions
  var deviceText: String? { target.device.description }

  func run(in session: Session) async throws {
    let link = try await Link.open(target, in: session)
    let services = try await link.services()
    let values = read ? try await self.values(of: services, link, session) : [:]
    let tree = TreeRecord(info: link.info, services: services, values: values)
    let console = session.console
    if common.json {
      try console.write(tree)
    } else if console.output.isTerminal {
      try console.write(
        lines: TreeText.lines(tree, width: console.output.size?.columns, style: console.output.style))
    } else {
      try console.write(lines: TreeText.records(tree))
    }
  }

  /// What can be read.
  ///
  /// A value that the device refuses is no reason to hide the others: it is said on stderr.
  private func values(
    of services: [GATTService], _ link: Link, _ session: Session
  ) async throws -> [String: [UInt8]] {
    var values: [String: [UInt8]] = [:]
    let timeout = session.timeout
    for characteristic in services.flatMap(\.characteristics) {
      if characteristic.properties.contains(.read) {
        values[characteristic.id] = try await attempt(session) {
          try await link.perform { peripheral throws(BLEError) in
            try await peripheral.readValue(for: characteristic, timeout: timeout)
          }
        }
      }
      for descriptor in characteristic.descriptors {
        values[descriptor.id] = try await attempt(session) {
          try await link.perform { peripheral throws(BLEError) in
            try await peripheral.readValue(for: descriptor, timeout: timeout)
          }
        }
      }
    }
    return values
  }

  private func attempt(_ session: Session, _ read: () async throws -> [UInt8]) async throws -> [UInt8]? {
    do {
      return try await read()
    } catch let error as BLEError
      where ExitStatus(error.code) == .failed && error.code != .disconnected
      && error.code != .cancelled
    {
      session.remark("blectl: \(error)")
      return nil
    }
  }
}
