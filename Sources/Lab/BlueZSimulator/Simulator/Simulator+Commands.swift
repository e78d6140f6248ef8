// SPDX-License-Identifier: MIT
package import BLEWorld
internal import DBus
internal import PeripheralEmulator

extension Simulator {
  /// Executes a command; its effects may continue after the return.
  ///
  /// - Throws: ``ControlError`` if it names something that does not exist, or is impossible at present.
  package func perform(_ command: ControlCommand) async throws(ControlError) {
    try check(command)
    switch command.action {
    case .peripheral(let address, let action):
      if let peripheral = medium[address] {
        action.apply(to: PeripheralEffects(peripheral, medium, daemon))
      }
    case .characteristic(let reference, let action): perform(action, on: reference)
    case .adapter(let name, let action): action.apply(to: self, name)
    case .daemon(let action): try await action.apply(to: self)
    case .otherClient(let action): if let call = action.call { try await perform(call) }
    }
    if let duration = command.duration, let undoing = command.action.undoing {
      eventScheduler.run(ControlCommand(undoing), after: duration)
    }
  }

  private func check(_ command: ControlCommand) throws(ControlError) {
    try ControlCheck(
      peripheral: { self.medium[$0]?.spec }, addresses: { self.medium.peripherals.map(\.spec.address) },
      adapters: adapters.map(\.name), absentAdapters: unpluggedAdapters.map(\.name)
    ).check(command)
  }

  // MARK: Characteristics

  private func perform(_ command: CharacteristicAction, on reference: CharacteristicReference) {
    guard let server = medium[reference.device]?.server,
      let handle = server.find(reference.uuid, in: reference.service)
    else { return }
    let (objects, tree) = (characteristicObjects(reference), daemon?.tree)
    server.apply(command, to: handle) {
      for object in objects {
        tree?.repeatProperties(of: BlueZName.gattCharacteristic, at: object.path)
      }
    }
  }

  /// Returns the objects of a characteristic: one on each adapter that has discovered it.
  func characteristicObjects(_ reference: CharacteristicReference) -> [RemoteCharacteristic] {
    guard let handle = medium[reference.device]?.server.find(reference.uuid, in: reference.service) else {
      return []
    }
    return (daemon?.adapters ?? []).compactMap {
      $0.device(reference.device)?.gatt.characteristic(valueHandle: handle)
    }
  }

  // MARK: Other programs

  private func perform(_ command: OtherClientCall) async throws(ControlError) {
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

extension Simulator: DaemonTarget {
  package func plugInAdapter(_ name: String) {
    let spec = unpluggedAdapters.first { $0.name == name } ?? AdapterSpec(name: name)
    unpluggedAdapters.removeAll { $0.name == name }
    addAdapter(spec)
  }

  package func repeatProperties(ofAdapter name: String) {
    guard let adapter = daemon?.adapter(name) else { return }
    daemon?.tree.repeatProperties(of: BlueZName.adapter, at: adapter.path)
  }

  package func restartDaemon() async throws(ControlError) {
    do throws(SimulatorError) {
      try await startDaemon()
    } catch {
      throw ControlError("", "the daemon did not start: \(error)")
    }
  }

  package func restartBus() async throws(ControlError) {
    do throws(SimulatorError) {
      try await startBus()
    } catch {
      throw ControlError("", "the bus did not start: \(error)")
    }
  }

  package func failCalls(_ fault: CallFault) {
    faults.add(fault, of: fault.device.map { [$0, medium[$0]?.sentAddress].compactMap(\.self) })
  }

  package func doubleSignals(_ times: Int?) { faults.doubleSignals(times) }
}
