// SPDX-License-Identifier: MIT
internal import DBus

/// Carrying out commands.
extension Simulator {
  /// Carries out a command; what it begins may go on after the return.
  ///
  /// - Parameter command: what happens.
  /// - Throws: ``ControlError`` when it names what is not there, or cannot be at present.
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
      play(ControlCommand(undoing), after: duration)
    }
  }

  /// Carries out a command later.
  ///
  /// What has become impossible meanwhile does not happen.
  func play(_ command: ControlCommand, after delay: Duration) {
    events.schedule(after: delay) { [weak self] in
      Task { try? await self?.perform(command) }
    }
  }

  // MARK: Peripherals

  private func perform(_ command: PeripheralCommand, on address: String) {
    guard let peripheral = air[address] else { return }
    peripheral.faults.apply(command)
    switch command {
    case .dropLink: peripheral.dropLink()
    case .vanish: air.setPresent(false, peripheral)
    case .appear: air.setPresent(true, peripheral)
    case .setRSSI(let strength): peripheral.rssi = strength
    case .repeatProperties: repeatProperties(of: address)
    case .dropAfterTime: peripheral.expectDrop()
    case .slowLink: peripheral.link?.retime()
    case .loseAdverts(false): air.arrived()
    case .heal:
      peripheral.server.answerFaults.removeAll()
      peripheral.link?.retime()
      air.arrived()
    default: break
    }
  }

  /// Tells all properties again; those of a device that the daemon does not have are told, too, by a broken one.
  private func repeatProperties(of address: String) {
    guard let daemon else { return }
    for adapter in daemon.adapters {
      if let device = adapter.device(address) {
        daemon.tree.repeatProperties(of: BlueZ.device, at: device.path)
      } else {
        let path = "\(adapter.path)/\(BlueZ.deviceElement(address))"
        daemon.tree.send(
          Message(signal: "PropertiesChanged", of: StandardInterface.properties, at: path) { writer in
            writer.string(BlueZ.device)
            writer.properties([("RSSI", .int16(-60))])
            writer.value(.strings([]))
          })
      }
    }
  }

  private func perform(
    _ command: CharacteristicCommand, on reference: CharacteristicReference
  ) throws(ControlError) {
    guard let server = air[reference.device]?.server,
      let handle = server.find(reference.uuid, in: reference.service)
    else { return }
    switch command {
    case .setValue(let bytes): server.setAndNotify(handle, bytes)
    case .answer(let fault): server.answerFaults.add(fault, to: handle)
    case .heal: server.answerFaults.removeAll(of: handle)
    case .repeatProperties:
      for object in characteristicObjects(reference) {
        daemon?.tree.repeatProperties(of: BlueZ.gattCharacteristic, at: object.path)
      }
    }
  }

  /// The objects of a characteristic, one on each adapter that has found it.
  func characteristicObjects(_ reference: CharacteristicReference) -> [RemoteCharacteristic] {
    guard let handle = air[reference.device]?.server.find(reference.uuid, in: reference.service) else {
      return []
    }
    return (daemon?.adapters ?? []).compactMap {
      $0.device(reference.device)?.gatt.characteristic(valueHandle: handle)
    }
  }

  // MARK: Adapters

  private func perform(_ command: AdapterCommand, on name: String) {
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
      guard let adapter = daemon?.adapters.first(where: { $0.spec.name == name }) else { return }
      daemon?.tree.repeatProperties(of: BlueZ.adapter, at: adapter.path)
    }
  }

  // MARK: The daemon and other programs

  private func perform(_ command: DaemonCommand) async throws(ControlError) {
    switch command {
    case .kill: killDaemon()
    case .stop: stopDaemon()
    case .start:
      do throws(SimulatorError) {
        try await startDaemon()
      } catch {
        throw ControlError("", "the daemon does not start: \(error)")
      }
    case .freeze: freeze()
    case .thaw: thaw()
    case .failCalls(let fault): faults.add(fault)
    case .doubleSignals(let times): faults.doubleSignals(times)
    }
  }

  private func perform(_ command: OtherClientCommand) async throws(ControlError) {
    if case .leave = command {
      await otherClient?.leave()
      otherClient = nil
      return
    }
    guard daemon != nil, !isDaemonFrozen else {
      throw ControlError("", "the daemon does not answer at present, so another program can do nothing")
    }
    let path: String?
    switch command {
    case .subscribe(let reference), .hold(let reference), .release(let reference):
      path = characteristicObjects(reference).first?.path
    default: path = BlueZ.root
    }
    guard let path else {
      throw ControlError("/characteristic", "the daemon has not found its services: connect to it first")
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
      throw ControlError("", "another program could not do that: \(error)")
    }
  }
}
