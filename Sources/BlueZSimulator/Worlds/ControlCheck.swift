// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// What a command may name: the peripherals and adapters that there are.
struct ControlCheck {
  /// A peripheral of the world; nil for an address that is none's.
  let peripheral: (String) -> PeripheralSpec?
  let addresses: () -> [String]
  let adapters: [String]
  /// Adapters that are not there at present, but could be again.
  let absentAdapters: [String]

  /// - Throws: ``ControlError`` when the command names what is not there.
  func check(_ command: ControlCommand) throws(ControlError) {
    switch command.action {
    case .peripheral(let address, _): _ = try device(address)
    case .characteristic(let reference, _): try characteristic(reference)
    case .adapter(let name, .add):
      if adapters.contains(name) { throw ControlError("/adapter", "there is an adapter \(name) already") }
    case .adapter(let name, _): try adapter(name)
    case .daemon(.failCalls(let fault)): if let address = fault.device { _ = try device(address) }
    case .daemon: break
    case .otherClient(.scan(_, let name)), .otherClient(.stopScan(let name)): try adapter(name)
    case .otherClient(.hold(let reference)), .otherClient(.subscribe(let reference)),
      .otherClient(.release(let reference)):
      try characteristic(reference)
    case .otherClient: break
    }
  }

  /// - Throws: ``ControlError`` when the event, too, waits for what is not there.
  func check(_ event: WorldEvent) throws(ControlError) {
    switch event.trigger {
    case .time: break
    case .connected(let address, _, _):
      do throws(ControlError) { _ = try device(address) } catch {
        throw ControlError("/when/connected", error.message)
      }
    case .operations(let address, _, _):
      do throws(ControlError) { _ = try device(address) } catch {
        throw ControlError("/when/device", error.message)
      }
    }
    try check(event.command)
  }

  private func device(_ address: String) throws(ControlError) -> PeripheralSpec {
    if let spec = peripheral(address) { return spec }
    throw ControlError(
      "/device",
      "there is no peripheral \(address)" + hint(to: address, among: addresses()))
  }

  private func adapter(_ name: String) throws(ControlError) {
    guard !adapters.contains(name), !absentAdapters.contains(name) else { return }
    throw ControlError(
      "/adapter", "there is no adapter \(name)" + hint(to: name, among: adapters + absentAdapters))
  }

  private func hint(to word: String, among words: [String]) -> String {
    Spelling.nearest(to: word, among: Array(words.prefix(1000))).map { ": did you mean \($0)?" } ?? ""
  }

  private func characteristic(_ reference: CharacteristicReference) throws(ControlError) {
    let layout = AttributeLayout(try device(reference.device))
    let services = layout.services.filter { reference.service == nil || $0.uuid == reference.service }
    if let service = reference.service, services.isEmpty {
      throw ControlError("/service", "\(reference.device) has no service \(service.shortText)")
    }
    let known = services.flatMap(\.characteristics).map(\.spec.uuid)
    guard !known.contains(reference.uuid) else { return }
    throw ControlError(
      "/characteristic", "\(reference.device) has no characteristic \(reference.uuid.shortText)")
  }
}

extension Simulator {
  /// - Throws: ``ControlError`` when the command names what is not there.
  func check(_ command: ControlCommand) throws(ControlError) {
    try ControlCheck(
      peripheral: { self.air[$0]?.spec }, addresses: { self.air.peripherals.map(\.spec.address) },
      adapters: adapters.map(\.name), absentAdapters: unpluggedAdapters.map(\.name)
    ).check(command)
  }
}

extension World {
  /// Looks whether all that the events name is there.
  ///
  /// - Parameter event: an event of this world.
  /// - Throws: ``ControlError`` when it names what is not there.
  package func check(_ event: WorldEvent) throws(ControlError) {
    try ControlCheck(
      peripheral: { address in peripherals.first { $0.address == address } },
      addresses: { peripherals.map(\.address) }, adapters: adapters.map(\.name), absentAdapters: []
    ).check(event)
  }
}
