// SPDX-License-Identifier: MIT

/// One firmware of a package for Nordic's bootloaders, and the init packet that goes before it.
package struct NordicFirmware: Sendable, Equatable {
  /// The kinds of firmware, with their numbers in Legacy DFU.
  package enum Kind: UInt8, Sendable {
    case softDevice = 1
    case bootloader
    case softDeviceAndBootloader
    case application

    /// The key in a manifest.
    package var word: String {
      switch self {
      case .softDevice: "softdevice"
      case .bootloader: "bootloader"
      case .softDeviceAndBootloader: "softdevice_bootloader"
      case .application: "application"
      }
    }

    /// All kinds, in the order in which they are sent.
    static let order: [Kind] = [.softDeviceAndBootloader, .softDevice, .bootloader, .application]
  }

  package let kind: Kind
  package let firmware: [UInt8]
  package let initPacket: [UInt8]
  /// The part of the firmware that is a SoftDevice, and the part that is a bootloader, in bytes.
  package let softDeviceSize: Int
  package let bootloaderSize: Int
  /// The name of the firmware's file in the package.
  package let name: String
  /// The init packet, if it is one of Legacy DFU.
  package let legacyInit: LegacyInitPacket?
  /// The init packet, if it is one of Secure DFU.
  package let secureInit: SecureInitPacket?
  /// The findings that make a bootloader refuse it.
  package let problems: [String]

  /// True if the package is for Secure DFU.
  package var isSecure: Bool { legacyInit == nil }
  /// The part of the firmware that is an application, in bytes.
  package var applicationSize: Int { kind == .application ? firmware.count : 0 }

  init(
    _ kind: Kind, _ firmware: [UInt8], initPacket: [UInt8], named name: String, softDeviceSize: Int? = nil,
    bootloaderSize: Int? = nil
  ) {
    (self.kind, self.firmware, self.initPacket, self.name) = (kind, firmware, initPacket, name)
    let secure = SecureInitPacket(initPacket)
    let legacy = secure == nil ? LegacyInitPacket(initPacket) : nil
    (legacyInit, secureInit) = (legacy, secure)
    var problems: [String] = []
    switch kind {
    case .application: (self.softDeviceSize, self.bootloaderSize) = (0, 0)
    case .softDevice: (self.softDeviceSize, self.bootloaderSize) = (firmware.count, 0)
    case .bootloader: (self.softDeviceSize, self.bootloaderSize) = (0, firmware.count)
    case .softDeviceAndBootloader:
      let softDevice = softDeviceSize ?? secure?.softDeviceSize ?? 0
      let bootloader = bootloaderSize ?? secure?.bootloaderSize ?? 0
      (self.softDeviceSize, self.bootloaderSize) = (softDevice, bootloader)
      // A manifest may have any number.
      let (sum, overflows) = softDevice.addingReportingOverflow(bootloader)
      if overflows || softDevice <= 0 || bootloader <= 0 || sum != firmware.count {
        problems.append(
          "it has \(firmware.count) bytes, SoftDevice and bootloader should have \(softDevice) and \(bootloader)"
        )
      }
    }
    if firmware.isEmpty { problems.append("it has no bytes") }
    if initPacket.isEmpty {
      problems.append("its init packet has no bytes")
    } else if secure == nil, legacy == nil {
      problems.append("its init packet is neither one of Secure DFU nor one of Legacy DFU")
    }
    self.problems =
      problems + (legacy?.problems(with: firmware) ?? []) + (secure?.problems(with: firmware, kind) ?? [])
  }
}
