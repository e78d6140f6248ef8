// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEPeripheral
internal import BLEWorld
internal import PeripheralEmulator

/// The services of an emulated peripheral, as the library publishes them.
struct ServiceTree {
  /// A service to publish.
  struct Entry {
    let service: LocalService
    /// The handles in the emulated peripheral of its characteristics.
    let handles: [UInt16]
  }

  private let emulated: Confined<EmulatedPeripheral>
  private let services: [EmulatedService]
  /// True if a command may delay any answer.
  private let isControlled: Bool
  /// Nil while the included services are being placed.
  private var placed: [Int: LocalService?] = [:]
  /// The services of the peripheral, each after its included services, as BlueZ requires.
  private(set) var entries: [Entry] = []
  /// The missing parts, and the reasons.
  private(set) var remarks: [String] = []

  /// Centrals are answered on the loop, which is that of the calling thread.
  init(_ emulated: EmulatedPeripheral, isControlled: Bool, on loop: EventLoop) {
    self.emulated = loop.confine(emulated)
    self.isControlled = isControlled
    services = emulated.services
    for index in services.indices { _ = place(index) }
  }

  /// - Returns: the service; nil while its included services are being placed.
  private mutating func place(_ index: Int) -> LocalService? {
    if let known = placed[index] { return known }
    placed[index] = .some(nil)
    let spec = services[index].spec
    var included: [LocalService] = []
    for other in services[index].includes {
      if let service = place(other) {
        included.append(service)
      } else {
        remarks.append(
          "service \(spec.uuid): its inclusion of \(services[other].spec.uuid) is left out, "
            + "because BlueZ cannot publish services that include each other")
      }
    }
    let characteristics = Self.published(services[index].characteristics)
    let service = LocalService(
      spec.uuid, characteristics.map { local($0) }, isPrimary: spec.isPrimary, includedServices: included)
    placed[index] = service
    entries.append(Entry(service: service, handles: characteristics.map(\.handle)))
    return service
  }

  /// Removes characteristics without operations, which BlueZ refuses.
  private static func published(_ characteristics: [EmulatedCharacteristic]) -> [EmulatedCharacteristic] {
    characteristics.filter { !$0.spec.properties.isEmpty }
  }

  // MARK: Attributes

  /// BlueZ creates this descriptor itself, from the properties.
  private static let extendedProperties = BluetoothUUID(short: 0x2900)

  private func local(_ characteristic: EmulatedCharacteristic) -> LocalCharacteristic {
    let spec = characteristic.spec
    var properties = CharacteristicProperties(rawValue: UInt16(spec.properties.rawValue))
    for descriptor in characteristic.descriptors where descriptor.spec.uuid == Self.extendedProperties {
      let bits = descriptor.spec.value.first ?? 0
      if bits & 1 != 0 { properties.insert(.reliableWrite) }
      if bits & 2 != 0 { properties.insert(.writableAuxiliaries) }
    }
    let isLate = isControlled || EmulatedPeripheral.isLate(spec)
    return LocalCharacteristic(
      spec.uuid, properties, value: spec.initialValue,
      security: AccessSecurity(AccessSecurity.Level(spec.security)),
      reading: reading(characteristic.handle, isLate: isLate),
      writing: writing(characteristic.handle, isLate: isLate),
      descriptors: characteristic.descriptors.filter { $0.spec.uuid != Self.extendedProperties }.map {
        local($0)
      })
  }

  private func local(_ descriptor: EmulatedDescriptor) -> LocalDescriptor {
    let spec = descriptor.spec
    return LocalDescriptor(
      spec.uuid, value: spec.value, isWritable: spec.isWritable,
      security: AccessSecurity(AccessSecurity.Level(spec.security)),
      reading: reading(descriptor.handle, isLate: spec.reading.isLate),
      writing: writing(descriptor.handle, isLate: false))
  }

  // MARK: Requests

  /// The peripheral answers at once; an answer that may be late gets the time limit of the library.
  private func reading(_ handle: UInt16, isLate: Bool) -> ReadHandler {
    let emulated = emulated
    guard isLate else {
      return .immediate { _ throws(ATTError) in
        try Self.now { emulated.value.read(handle, then: $0) }
      }
    }
    return .deferred { _ async throws(ATTError) in
      try await Self.later { emulated.value.read(handle, then: $0) }
    }
  }

  private func writing(_ handle: UInt16, isLate: Bool) -> WriteHandler {
    let emulated = emulated
    guard isLate else {
      return .immediate { request throws(ATTError) in
        _ = try Self.now {
          emulated.value.write(handle, request.value, offset: request.offset, mtu: request.mtu, then: $0)
        }
      }
    }
    return .deferred { request async throws(ATTError) in
      _ = try await Self.later {
        emulated.value.write(handle, request.value, offset: request.offset, mtu: request.mtu, then: $0)
      }
    }
  }

  private typealias Outcome = Result<[UInt8], ATTErrorCode>

  private static func now(_ ask: (@escaping (Outcome) -> Void) -> Void) throws(ATTError) -> [UInt8] {
    var outcome: Outcome?
    ask { outcome = $0 }
    return try bytes(outcome)
  }

  private static func later(
    _ ask: (@escaping (Outcome) -> Void) -> Void
  ) async throws(ATTError) -> [UInt8] {
    let promise = Promise<Outcome?>()
    ask { promise.fulfil($0) }
    let outcome = await promise.value(ifCancelled: nil)
    return try bytes(outcome)
  }

  private static func bytes(_ outcome: Outcome?) throws(ATTError) -> [UInt8] {
    switch outcome {
    case .success(let bytes): return bytes
    case .failure(let error): throw ATTError(code: error.code)
    case nil: throw .unlikelyError
    }
  }
}

extension AccessSecurity.Level {
  fileprivate init(_ security: AttributeSecurity) {
    switch security {
    case .none: self = .none
    case .encrypted: self = .encrypted
    case .authenticated: self = .authenticated
    case .secureConnections: self = .secureConnections
    }
  }
}
