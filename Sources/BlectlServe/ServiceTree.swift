// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEPeripheral
internal import BLEWorld
internal import PeripheralEmulator

/// The services of an emulated peripheral, as the library publishes them.
struct ServiceTree {
  /// A service to publish, with the services that it includes.
  struct Root {
    let service: LocalService
    /// The handles of its characteristics in the emulated peripheral.
    let characteristics: [UInt16]
    /// Those of the included services; each service follows the services that it includes itself.
    let includedCharacteristics: [UInt16]
  }

  private let played: EmulatedPeripheral
  private let services: [EmulatedService]
  /// Whether a command may delay any answer.
  private let isControlled: Bool
  private var placed: Set<Int> = []
  /// What is missing, and why.
  private(set) var remarks: [String] = []

  init(_ played: EmulatedPeripheral, isControlled: Bool) {
    self.played = played
    self.isControlled = isControlled
    services = played.services
  }

  /// The services that no other includes, then those that only include each other.
  mutating func roots() -> [Root] {
    let included = Set(services.flatMap(\.includes))
    let first = services.indices.filter { !included.contains($0) }
    return (first + services.indices.filter(included.contains)).compactMap { index in
      guard !placed.contains(index) else { return nil }
      var handles: [UInt16] = []
      let service = local(index, &handles)
      let own = Self.published(services[index].characteristics).map(\.handle)
      return Root(
        service: service, characteristics: own, includedCharacteristics: Array(handles.dropLast(own.count)))
    }
  }

  /// A service with its included services, unless another one already includes them.
  private mutating func local(_ index: Int, _ handles: inout [UInt16]) -> LocalService {
    placed.insert(index)
    let played = services[index]
    var included: [LocalService] = []
    for other in played.includes {
      if placed.contains(other) {
        remarks.append(
          "service \(played.spec.uuid): its inclusion of \(services[other].spec.uuid) is left out, "
            + "because another inclusion leads there")
      } else {
        included.append(local(other, &handles))
      }
    }
    let characteristics = Self.published(played.characteristics)
    handles += characteristics.map(\.handle)
    return LocalService(
      played.spec.uuid, characteristics.map { local($0) }, isPrimary: played.spec.isPrimary,
      includedServices: included)
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
      spec.uuid, properties, value: spec.value, security: AccessSecurity(AccessSecurity.Level(spec.security)),
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
    let played = played
    guard isLate else {
      return .immediate { _ throws(ATTError) in
        try Self.now { played.read(handle, then: $0) }
      }
    }
    return .deferred { _ async throws(ATTError) in
      try await Self.later { played.read(handle, then: $0) }
    }
  }

  private func writing(_ handle: UInt16, isLate: Bool) -> WriteHandler {
    let played = played
    guard isLate else {
      return .immediate { request throws(ATTError) in
        _ = try Self.now { played.write(handle, request.value, offset: request.offset, then: $0) }
      }
    }
    return .deferred { request async throws(ATTError) in
      _ = try await Self.later { played.write(handle, request.value, offset: request.offset, then: $0) }
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
