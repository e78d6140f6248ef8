// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The ways to update a device that its services show.
struct DeviceOffer {
  /// The ways in which an application lets its bootloader start.
  enum Jump: Equatable {
    /// By the service of Secure DFU; the bootloader has another address.
    case buttonless
    /// By the service of Secure DFU, on a bonded link; the address stays.
    case buttonlessBonded
    /// By that of SDK 12.
    case buttonlessExperimental
    /// By the service of Legacy DFU.
    case legacy
  }

  /// The characteristic of SMP.
  private(set) var smp: GATTCharacteristic?
  private(set) var secureControl: GATTCharacteristic?
  private(set) var securePacket: GATTCharacteristic?
  /// The characteristic to which a jump is written; that of Legacy DFU only if it takes no firmware now.
  private(set) var jumps: [Jump: GATTCharacteristic] = [:]
  private(set) var legacyControl: GATTCharacteristic?
  private(set) var legacyPacket: GATTCharacteristic?
  /// The number that tells an application from its bootloader: 1 for an application; nil if the service lacks it.
  private(set) var legacyVersion: UInt16?
  /// True if there are services besides those of a bootloader.
  private(set) var hasApplication = false
  /// The version in the Device Information; nil without one.
  private(set) var revision: String?

  /// The services that a bootloader has, too: Generic Access, Generic Attribute and Device Information.
  static let common: Set<BluetoothUUID> = [
    BluetoothUUID(short: 0x1800), BluetoothUUID(short: 0x1801), .deviceInformation,
    FirmwareUUID.secureDFUService, FirmwareUUID.legacyService,
  ]
  /// The number with which an application says that it only lets its bootloader start.
  private static let applicationVersion: UInt16 = 1

  /// Reads what a connected device offers.
  init(of peripheral: Peripheral) async throws {
    var version: GATTCharacteristic?
    var information: GATTCharacteristic?
    for service in try await peripheral.discoverServices() {
      if !Self.common.contains(service.uuid) { hasApplication = true }
      for characteristic in service.characteristics {
        switch characteristic.uuid {
        case FirmwareUUID.smp: smp = smp ?? characteristic
        case FirmwareUUID.dfuControl: secureControl = characteristic
        case FirmwareUUID.dfuPacket: securePacket = characteristic
        case FirmwareUUID.buttonless: jumps[.buttonless] = characteristic
        case FirmwareUUID.buttonlessBonded: jumps[.buttonlessBonded] = characteristic
        case FirmwareUUID.buttonlessExperimental: jumps[.buttonlessExperimental] = characteristic
        case FirmwareUUID.legacyControl: legacyControl = characteristic
        case FirmwareUUID.legacyPacket: legacyPacket = characteristic
        case FirmwareUUID.legacyVersion: version = characteristic
        case FirmwareUUID.firmwareRevision: information = information ?? characteristic
        default: break
        }
      }
    }
    if let version, let bytes = try await peripheral.harmlessValue(of: version), bytes.count >= 2 {
      legacyVersion = UInt16(bytes[0]) | UInt16(bytes[1]) << 8
    }
    if let legacyControl, !takesLegacy { jumps[.legacy] = legacyControl }
    revision = try await information.asyncMap { try await peripheral.harmlessValue(of: $0) }?.flatMap(
      Self.text)
  }

  private static func text(_ bytes: [UInt8]) -> String? {
    let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    return text.isEmpty ? nil : text
  }

  /// True if it takes firmware by Secure DFU now.
  var takesSecure: Bool { secureControl != nil && securePacket != nil }

  /// True if it takes firmware by Legacy DFU now.
  var takesLegacy: Bool {
    guard legacyControl != nil, legacyPacket != nil else { return false }
    // Before the version had a characteristic, a bootloader could only be told by what it lacks.
    return legacyVersion.map { $0 != Self.applicationVersion } ?? !hasApplication
  }

  /// The methods that the device offers, now or in its bootloader.
  var methods: [UpdateMethod] {
    var methods: [UpdateMethod] = []
    if smp != nil { methods.append(.smp) }
    if takesSecure || secureJump != nil { methods.append(.secureDFU) }
    if legacyControl != nil { methods.append(.legacyDFU) }
    return methods
  }

  private var secureJump: Jump? {
    [.buttonlessBonded, .buttonless, .buttonlessExperimental].first { jumps[$0] != nil }
  }

  /// Returns whether it takes firmware by a method now.
  func takes(_ method: UpdateMethod) -> Bool {
    switch method {
    case .smp: smp != nil
    case .secureDFU: takesSecure
    case .legacyDFU: takesLegacy
    }
  }

  /// Returns the way to the bootloader; nil if the device has none.
  func jump(for method: UpdateMethod) -> Jump? {
    switch method {
    case .smp: nil
    case .secureDFU: secureJump
    case .legacyDFU: jumps[.legacy] != nil ? .legacy : nil
    }
  }

  /// Returns whether only a bootloader runs, not an application that takes firmware itself.
  func isBootloader(_ method: UpdateMethod) -> Bool { takes(method) && !hasApplication }

  /// The firmware of a device, as far as its services tell.
  enum Kind: Equatable {
    case bootloader
    /// An application that takes firmware, or starts its bootloader.
    case application
    /// A firmware without such services.
    case other
  }

  /// Returns the kind of the firmware, for some methods.
  func kind(for methods: [UpdateMethod]) -> Kind {
    if methods.contains(where: isBootloader) { return .bootloader }
    return methods.contains(where: self.methods.contains) ? .application : .other
  }
}

extension Optional {
  /// Returns the result for the value; nil without one.
  fileprivate func asyncMap<Result>(_ body: (Wrapped) async throws -> Result) async rethrows -> Result? {
    guard let self else { return nil }
    return try await body(self)
  }
}

extension Peripheral {
  /// Reads a value that only informs; nil if the device gives it not to this computer.
  fileprivate func harmlessValue(of characteristic: GATTCharacteristic) async throws -> [UInt8]? {
    do throws(BLEError) {
      return try await readValue(for: characteristic, timeout: .seconds(10))
    } catch {
      if [.cancelled, .disconnected, .serviceUnavailable, .busUnavailable].contains(error.code) {
        throw error
      }
      return nil
    }
  }
}
