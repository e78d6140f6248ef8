// SPDX-License-Identifier: MIT
package import BLEFormats
package import BLEWorld

/// The firmware of a peripheral that can be updated: what it is at present, and the protocol that changes it.
///
/// A boot loader at another address shares it with its application.
package final class EmulatedFirmware {
  private let spec: PeripheralSpec
  private var server: any UpdateServer

  /// Fails if the peripheral cannot be updated.
  package init?(_ spec: PeripheralSpec) {
    self.spec = spec
    if let smp = spec.smp {
      server = SMPServer(smp)
    } else if let dfu = spec.dfu {
      server = dfu.kind == .secure ? SecureBootloader(dfu) : LegacyBootloader(dfu)
    } else {
      return nil
    }
  }

  package var isInBootloader: Bool { server.isInBootloader }
  package var version: String { server.version }
  /// The time after which a boot loader restarts that nothing arrives at; nil while none runs.
  package var idleTime: Duration? { isInBootloader ? spec.dfu?.idleTime : nil }
  package var state: FirmwareState { server.state }

  /// The peripheral as it is now.
  package var current: PeripheralSpec { isInBootloader ? bootloader ?? application : application }

  /// The peripheral while the application runs.
  package var application: PeripheralSpec {
    spec.running(version: server.version, movedBy: server.isChanged ? spec.smp?.movesBy ?? 0 : 0)
  }

  /// The peripheral while its boot loader runs; nil if the application itself takes firmware.
  package var bootloader: PeripheralSpec? { spec.inBootloader(named: server.bootloaderName) }

  /// The characteristics that take what the protocol writes.
  private static let inputs: Set<BluetoothUUID> = [
    FirmwareUUID.smp, FirmwareUUID.dfuControl, FirmwareUUID.dfuPacket, FirmwareUUID.buttonless,
    FirmwareUUID.buttonlessBonded, FirmwareUUID.buttonlessExperimental, FirmwareUUID.legacyControl,
    FirmwareUUID.legacyPacket,
  ]

  package func takes(_ uuid: BluetoothUUID) -> Bool { Self.inputs.contains(uuid) }

  package func receive(_ bytes: [UInt8], at uuid: BluetoothUUID, waiting: Int) -> [UpdateEffect] {
    server.receive(bytes, at: uuid, waiting: waiting)
  }

  package func linkEnded() { server.linkEnded() }

  /// Restarts the device, and returns the time that this takes; nil if it never comes back.
  package func restart() -> Duration? { server.restart() }
}
