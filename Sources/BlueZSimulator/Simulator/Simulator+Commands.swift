// SPDX-License-Identifier: MIT
package import BLEWorld
internal import DBus
internal import PeripheralEmulator

/// Executes commands.
extension Simulator {
  /// Executes a command; its effects may continue after the return.
  ///
  /// - Parameter command: the command.
  /// - Throws: ``ControlError`` when it names something that does not exist, or is impossible at present.
  package func perform(_ command: ControlCommand) async throws(ControlError) {
    try check(command)
    switch command.action {
    case .peripheral(let address, let action): perform(action, on: address)
    case .characteristic(let reference, let action): try perform(action, on: reference)
    case .adapter(let name, let action): perform(action, on: name)
    case .daemon(let action): try await perform(action)
    case .otherClient(let action): try await perform(action)
    }
    if let duration = command.duration, let undoing = command.action.undoing {
      eventPlayer.play(ControlCommand(undoing), after: duration)
    }
  }

  private func check(_ command: ControlCommand) throws(ControlError) {
    try ControlCheck(
      peripheral: { self.medium[$0]?.spec }, addresses: { self.medium.peripherals.map(\.spec.address) },
      adapters: adapters.map(\.name), absentAdapters: unpluggedAdapters.map(\.name)
    ).check(command)
  }

  // MARK: Peripherals

  private func perform(_ command: PeripheralAction, on address: String) {
    guard let peripheral = medium[address] else { return }
    peripheral.faults.apply(command)
    switch command {
    case .dropLink: peripheral.dropLink()
    case .vanish: medium.setPresent(false, peripheral)
    case .appear: medium.setPresent(true, peripheral)
    case .setRSSI(let strength): peripheral.rssi = strength
    case .repeatProperties: repeatProperties(of: address)
    case .forgetBonds: peripheral.pairing.forgetBonds()
    case .typePasskey(let passkey): peripheral.pairing.type(passkey)
    case .askForSecurity: peripheral.askForSecurity()
    case .dropAfterTime: peripheral.scheduleDrop()
    case .slowLink: peripheral.link?.retime()
    case .loseAdverts(false): medium.arrived()
    case .heal:
      peripheral.server.answerFaults.removeAll()
      peripheral.link?.retime()
      medium.arrived()
    default: break
    }
  }

  /// Signals all properties again; for an unknown device, imitates a broken daemon that signals its RSSI.
  private func repeatProperties(of address: String) {
    guard let daemon else { return }
    for adapter in daemon.adapters {
      if let device = adapter.device(address) {
        daemon.tree.repeatProperties(of: BlueZName.device, at: device.path)
      } else {
        let path = "\(adapter.path)/\(BlueZName.deviceElement(address))"
        daemon.tree.send(
          Message(signal: "PropertiesChanged", of: StandardInterface.properties, at: path) { writer in
            writer.string(BlueZName.device)
            writer.properties([("RSSI", .int16(-60))])
            writer.value(.strings([]))
          })
      }
    }
  }

  private func perform(
    _ command: CharacteristicAction, on reference: CharacteristicReference
  ) throws(ControlError) {
    guard let server = medium[reference.device]?.server,
      let handle = server.find(reference.uuid, in: reference.service)
    else { return }
    server.perform(command, on: handle)
    guard command == .repeatProperties else { return }
    for object in characteristicObjects(reference) {
      daemon?.tree.repeatProperties(of: BlueZName.gattCharacteristic, at: object.path)
    }
  }

  /// The objects of a characteristic, one on each adapter that has found it.
  func characteristicObjects(_ reference: CharacteristicReference) -> [RemoteCharacteristic] {
    guard let handle = medium[reference.device]?.server.find(reference.uuid, in: reference.service) else {
      return []
    }
    return (daemon?.adapters ?? []).compactMap {
      $0.device(reference.device)?.gatt.characteristic(valueHandle: handle)
    }
  }

  // MARK: Adapters

  private func perform(_ command: AdapterAction, on name: String) {
    switch command {
    case .switchOn: setPowered(true, adapter: name)
    case .switchOff: setPowered(false, adapter: name)
    case .remove: removeAdapter(name)
    case .add:
      let spec = unpluggedAdapters.first { $0.name == name } ?? AdapterSpec(name: name)
      unpluggedAdapters.removeAll { $0.name == name }
      addAdapter(spec)
    case .block: setBlocked(true, adapter: name)
    case .unblock: setBlocked(false, adapter: name)
    case .releaseMonitors: releaseMonitors(adapter: name)
    case .repeatProperties:
      guard let adapter = daemon?.adapter(name) else { return }
      daemon?.tree.repeatProperties(of: BlueZName.adapter, at: adapter.path)
    }
  }

  // MARK: The daemon and other programs

  private func perform(_ command: DaemonAction) async throws(ControlError) {
    switch command {
    case .kill: killDaemon()
    case .stop: stopDaemon()
    case .start:
      do throws(SimulatorError) {
        try await startDaemon()
      } catch {
        throw ControlError("", "the daemon did not start: \(error)")
      }
    case .freeze: freeze()
    case .thaw: thaw()
    case .killBus: try await killBus()
    case .startBus:
      do throws(SimulatorError) {
        try await startBus()
      } catch {
        throw ControlError("", "the bus did not start: \(error)")
      }
    case .failCalls(let fault):
      faults.add(fault, of: fault.device.map { [$0, medium[$0]?.sentAddress].compactMap(\.self) })
    case .doubleSignals(let times): faults.doubleSignals(times)
    }
  }

  private func perform(_ command: OtherClientAction) async throws(ControlError) {
    if case .leave = command {
      await otherClient?.leave()
      otherClient = nil
      return
    }
    guard daemon != nil, !isDaemonFrozen else {
      throw ControlError("", "the daemon is not running, so no other program can call it")
    }
    let path: String?
    switch command {
    case .subscribe(let reference), .hold(let reference), .release(let reference):
      path = characteristicObjects(reference).first?.path
    default: path = BlueZName.root
    }
    guard let path else {
      throw ControlError("/characteristic", "the daemon has not discovered its services: connect to it first")
    }
    let client: OtherClient
    do throws(DBusError) {
      if let known = otherClient {
        client = known
      } else {
        client = try await OtherClient.connect(to: address)
        otherClient = client
      }
      try await client.perform(command, on: path)
    } catch {
      throw ControlError("", "the other program failed: \(error)")
    }
  }
}
