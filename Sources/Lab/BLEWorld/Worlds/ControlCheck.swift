// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

/// Checks that the peripherals and adapters that a command names exist.
package struct ControlCheck {
  private let peripheral: (String) -> PeripheralSpec?
  private let addresses: () -> [String]
  private let adapters: [String]
  /// Unplugged adapters, which can be plugged in again.
  private let absentAdapters: [String]

  package init(
    peripheral: @escaping (String) -> PeripheralSpec?, addresses: @escaping () -> [String],
    adapters: [String], absentAdapters: [String]
  ) {
    (self.peripheral, self.addresses, self.adapters) = (peripheral, addresses, adapters)
    self.absentAdapters = absentAdapters
  }

  package func check(_ command: ControlCommand) throws(ControlError) {
    switch command.action {
    case .peripheral(let address, _): _ = try device(address)
    case .characteristic(let reference, _): try characteristic(reference)
    case .adapter(let name, let action) where action.adds:
      if adapters.contains(name) { throw ControlError("/adapter", "the adapter \(name) exists already") }
    case .adapter(let name, _): try adapter(name)
    case .daemon(let action): if let address = action.device { _ = try device(address) }
    case .otherClient(let action):
      switch action.call {
      case .scan(_, let name), .stopScan(let name): try adapter(name)
      case .hold(let reference), .subscribe(let reference), .release(let reference):
        try characteristic(reference)
      case .registerAgent, .unregisterAgent, .leave, nil: break
      }
    }
  }

  package func check(_ event: WorldEvent) throws(ControlError) {
    switch event.trigger {
    case .time: break
    case .connected(let address, _, _): _ = try device(address, at: "/when/connected")
    case .operations(let address, _, _): _ = try device(address, at: "/when/device")
    }
    try check(event.command)
  }

  private func device(
    _ address: String, at pointer: String = "/device"
  ) throws(ControlError) -> PeripheralSpec {
    if let spec = peripheral(address) { return spec }
    throw ControlError(
      pointer, "there is no peripheral \(address)" + hint(to: address, among: addresses()))
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
      throw ControlError("/service", "\(reference.device) has no service \(service.description)")
    }
    let known = services.flatMap(\.characteristics).map(\.spec.uuid)
    guard !known.contains(reference.uuid) else { return }
    throw ControlError(
      "/characteristic", "\(reference.device) has no characteristic \(reference.uuid.description)")
  }
}

extension World {
  /// - Throws: ``ControlError`` if an event of this world names something that does not exist.
  package func check(_ event: WorldEvent) throws(ControlError) {
    try ControlCheck(
      peripheral: { address in peripherals.first { $0.address == address } },
      addresses: { peripherals.map(\.address) }, adapters: adapters.map(\.name), absentAdapters: []
    ).check(event)
  }
}
