// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import DBus
internal import PeripheralEmulator

/// A peripheral of the simulation, as commands see it.
final class PeripheralEffects: PeripheralTarget {
  private let peripheral: RadioPeripheral
  private let medium: RadioMedium
  private let daemon: Daemon?

  init(_ peripheral: RadioPeripheral, _ medium: RadioMedium, _ daemon: Daemon?) {
    self.peripheral = peripheral
    self.medium = medium
    self.daemon = daemon
  }

  var faults: ActiveFaults {
    get { peripheral.faults }
    set { peripheral.faults = newValue }
  }

  func dropLink() { peripheral.dropLink() }
  func setPresent(_ isPresent: Bool) { medium.setPresent(isPresent, peripheral) }
  func setRSSI(_ strength: Int16) { peripheral.rssi = strength }
  func setPrivateAddress(_ address: String?) {
    peripheral.privateAddress = address
    medium.arrived()
  }

  func forgetBonds() { peripheral.pairing.forgetBonds() }
  func typePasskey(_ passkey: UInt32) { peripheral.pairing.type(passkey) }
  func askForSecurity() { peripheral.askForSecurity() }
  func limitLinkTime() { peripheral.scheduleDrop() }
  func retimeLink() { peripheral.link?.retime() }
  func advertisesAgain() { medium.arrived() }

  func heal() {
    peripheral.faults = ActiveFaults()
    peripheral.server.answerFaults.removeAll()
    retimeLink()
    advertisesAgain()
  }

  /// Signals all properties again; of an unknown device, signals the RSSI as a broken daemon would.
  func repeatProperties() {
    guard let daemon else { return }
    for adapter in daemon.adapters {
      if let device = adapter.device(peripheral.address) {
        daemon.tree.repeatProperties(of: BlueZName.device, at: device.path)
      } else {
        let path = "\(adapter.path)/\(BlueZName.deviceElement(peripheral.address))"
        daemon.tree.send(
          Message(signal: "PropertiesChanged", of: StandardInterface.properties, at: path) { writer in
            writer.string(BlueZName.device)
            writer.properties([("RSSI", .int16(-60))])
            writer.value(.strings([]))
          })
      }
    }
  }
}
