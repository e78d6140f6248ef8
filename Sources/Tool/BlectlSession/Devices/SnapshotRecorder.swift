// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
package import BLEWorld
package import BlectlArguments
internal import Glibc
internal import ValueStreams

/// Reads the attributes of a connected device as the specification of a simulated copy.
package final class SnapshotRecorder {
  private let link: DeviceConnection
  private let context: CommandContext
  /// Nil if BlueZ does not report it.
  package private(set) var mtu: UInt16?
  /// The loss of the link from which on nothing could be read; nil if there was none.
  private var interruption: BLEError?
  /// The number of values that could not be read for that reason.
  private var missing = 0

  package init(_ link: DeviceConnection, _ context: CommandContext) {
    self.link = link
    self.context = context
  }

  private var profiles: Profiles { Vocabulary.known.profiles }
  private var device: ProfileSubject { ProfileSubject(link.info) }

  /// The name that the device reports.
  package var name: String? { link.info.advertisement.localName }

  /// The services with their handles and readable values.
  package func services() async throws -> [ServiceSpec] {
    let services = try await link.services().sorted { $0.handle < $1.handle }
    mtu = services.flatMap(\.characteristics).compactMap(\.mtu).max().map {
      UInt16(clamping: min(max($0, 23), 517))
    }
    let known = Set(services.map(\.handle))
    return try await context.showingProgress("reading the values of \(name ?? link.info.address.description)")
    {
      var specs: [ServiceSpec] = []
      for service in services {
        var characteristics: [CharacteristicSpec] = []
        for characteristic in service.characteristics.sorted(by: { $0.handle < $1.handle }) {
          characteristics.append(try await record(characteristic))
        }
        var spec = ServiceSpec(
          service.uuid, characteristics, isPrimary: service.isPrimary,
          includes: service.includedServices.filter(known.contains).map { .handle($0) },
          handle: service.handle)
        spec.comment = Vocabulary.known.profiles.ownName(ofService: service.uuid)
        specs.append(spec)
      }
      return specs
    }
  }

  /// Throws if the link was lost, and values are missing.
  package func requireAll() throws(CommandError) {
    guard let interruption else { return }
    var error = CommandError(interruption)
    error.details.append("\(missing) value\(missing == 1 ? "" : "s") could not be read")
    throw error
  }

  private func record(_ characteristic: GATTCharacteristic) async throws -> CharacteristicSpec {
    let properties = GATTProperties(rawValue: UInt8(truncatingIfNeeded: characteristic.properties.rawValue))
    var spec = CharacteristicSpec(characteristic.uuid, properties, handle: characteristic.handle)
    spec.comment =
      profiles.characteristic(for: characteristic.uuid, service: characteristic.service, device: device)?.name
    if characteristic.properties.contains(.read) {
      let outcome = try await read("\(characteristic.uuid)") { peripheral, timeout throws(BLEError) in
        try await peripheral.readValue(for: characteristic, timeout: timeout)
      }
      (spec.value, spec.reading, spec.security) = (
        outcome.value ?? spec.value, outcome.reading, outcome.security
      )
    }
    for descriptor in characteristic.descriptors.sorted(by: { $0.handle < $1.handle }) {
      spec.descriptors.append(try await record(descriptor, in: characteristic.service))
    }
    return spec
  }

  private func record(
    _ descriptor: GATTDescriptor, in service: BluetoothUUID
  ) async throws -> DescriptorSpec {
    var spec = DescriptorSpec(descriptor.uuid, value: [], handle: descriptor.handle)
    spec.comment = profiles.descriptor(for: descriptor.uuid, service: service, device: device)?.name
    // Our own subscriptions are not part of the device.
    if descriptor.uuid == .clientCharacteristicConfiguration { return spec }
    let outcome = try await read("descriptor \(descriptor.uuid)") { peripheral, timeout throws(BLEError) in
      try await peripheral.readValue(for: descriptor, timeout: timeout)
    }
    (spec.value, spec.reading, spec.security) = (outcome.value ?? [], outcome.reading, outcome.security)
    return spec
  }

  // MARK: Reading

  private struct Outcome {
    var value: [UInt8]?
    var reading = ReadBehaviour.value
    var security = AttributeSecurity.none
  }

  /// Reads a value, or learns how the device refuses it, which is also reported on stderr.
  ///
  /// A lost link is opened again. If that fails, the values from there on are missing.
  private func read(
    _ label: String, _ step: (Peripheral, Duration?) async throws(BLEError) -> [UInt8]
  ) async throws -> Outcome {
    if interruption == nil {
      do {
        do {
          return try await attempt(label, step)
        } catch let error as BLEError where error.code == .disconnected {
          try await reopen(after: error)
          return try await attempt(label, step)
        }
      } catch let error as BLEError where error.code == .disconnected {
        interruption = error
      }
    }
    missing += 1
    return Outcome()
  }

  /// Opens the lost link again; throws its loss if that fails.
  private func reopen(after loss: BLEError) async throws {
    context.remark("blectl: \(loss.message); connecting again")
    do {
      try await link.peripheral.renewLink(timeout: context.timeout)
    } catch {
      throw [.timedOut, .connectionFailed, .notFound].contains(error.code) ? loss : error
    }
  }

  private func attempt(
    _ label: String, _ step: (Peripheral, Duration?) async throws(BLEError) -> [UInt8]
  ) async throws -> Outcome {
    let timeout = context.timeout
    do {
      return Outcome(value: try await step(link.peripheral, timeout))
    } catch {
      let outcome: Outcome
      switch error.code {
      case .notPaired, .bondLost: outcome = Outcome(security: .encrypted)
      case .pairingTooWeak: outcome = Outcome(security: .authenticated)
      case _ where error.isOfHangingService: throw error
      case .timedOut: outcome = Outcome(reading: .stall)
      case .disconnected, .cancelled: throw error
      case _ where ExitStatus(error) != .failed: throw error
      // BlueZ reports failures without an ATT code as "unlikely error".
      default: outcome = Outcome(reading: .fails(error.attError?.code ?? 0x0e))
      }
      context.remark("blectl: skipped \(label): \(error.message)")
      if error.code == .timedOut { try await link.peripheral.renewLink(timeout: timeout) }
      return outcome
    }
  }
}
