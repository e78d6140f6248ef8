// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

/// Checks the parts of a peripheral against each other.
struct PeripheralCheck {
  private let spec: PeripheralSpec
  private let node: JSONNode

  init(_ spec: PeripheralSpec, _ node: JSONNode) { (self.spec, self.node) = (spec, node) }

  /// Refuses handles out of order, references to attributes that do not exist, beacons that cannot be sent, and channels
  /// of the same number.
  func run() throws(JSONError) {
    var mistakes = JSONMistakes()
    // Handles depend on each other, so only the first error is useful.
    mistakes.collect { () throws(JSONError) in try checkHandles() }
    mistakes.collect { () throws(JSONError) in try checkSerialPort() }
    mistakes.collect { () throws(JSONError) in try checkUpdates() }
    BeaconCheck(spec)?.run(node.at("advertisement/beacons"), &mistakes)
    for (index, service) in spec.services.enumerated() {
      let place = node.at("services/\(index)")
      mistakes.collect { () throws(JSONError) in try checkIncludes(service, place) }
      for (number, characteristic) in service.characteristics.enumerated() {
        mistakes.collect { () throws(JSONError) in
          try checkTargets(characteristic, place.at("characteristics/\(number)/on_write"))
        }
      }
    }
    for (index, channel) in spec.channels.enumerated()
    where spec.channels[..<index].contains(where: { $0.psm == channel.psm }) {
      mistakes.collect { () throws(JSONError) in
        throw node.at("channels/\(index)/psm").mismatch("a number that no other channel has")
      }
    }
    try mistakes.rethrow()
  }

  // MARK: Handles

  private func checkHandles() throws(JSONError) {
    var next = AttributeLayout.firstHandle(of: spec)
    func take(_ handle: UInt16?, _ place: JSONNode) throws(JSONError) {
      if let handle {
        guard Int(handle) >= next else { throw place.at("handle").mismatch("a handle from \(next) on") }
        next = Int(handle)
      }
      next += 1
    }
    for (index, service) in spec.services.enumerated() {
      let place = node.at("services/\(index)")
      try take(service.handle, place)
      next += service.includes.count
      for (number, characteristic) in service.characteristics.enumerated() {
        let place = place.at("characteristics/\(number)")
        try take(characteristic.handle, place)
        next += 1
        for (number, descriptor) in characteristic.descriptors.enumerated() {
          try take(descriptor.handle, place.at("descriptors/\(number)"))
        }
        let hasConfiguration = characteristic.descriptors.contains {
          $0.uuid == AttributeLayout.clientConfiguration
        }
        if characteristic.properties.isSubscribable, !hasConfiguration { next += 1 }
      }
    }
    guard AttributeLayout(spec).next <= 0x1_0000 else {
      throw JSONError(node.at("services"), "expected attributes with handles up to 65535, found more")
    }
  }

  /// Two ports of one service could not be told apart.
  private func checkSerialPort() throws(JSONError) {
    guard let port = spec.uart?.service, spec.services.contains(where: { $0.uuid == port.uuid }) else {
      return
    }
    throw JSONError(
      node.at("uart"),
      "expected a service that \"services\" does not have, found \(port.name) (\(port.uuid)) again")
  }

  /// Two services of one update could not be told apart, and no peripheral has two ways to be updated.
  private func checkUpdates() throws(JSONError) {
    guard let version = spec.firmwareVersion else { return }
    let key = spec.smp == nil ? "dfu" : "smp"
    if spec.smp != nil, spec.dfu != nil {
      throw JSONError(node.at("dfu"), "expected \"smp\" or \"dfu\", found both")
    }
    let added = spec.running(version: version).services.dropFirst(spec.services.count)
    guard let twin = added.first(where: { service in spec.services.contains { $0.uuid == service.uuid } })
    else {
      return
    }
    throw JSONError(
      node.at(key), "expected a service that \"services\" does not have, found \(twin.uuid) again")
  }

  // MARK: References

  private func checkIncludes(_ service: ServiceSpec, _ place: JSONNode) throws(JSONError) {
    for (index, reference) in service.includes.enumerated() {
      let isThere =
        switch reference {
        case .uuid(let uuid): spec.services.contains { $0.uuid == uuid }
        case .handle(let handle): spec.services.contains { $0.handle == handle }
        }
      if !isThere {
        throw place.at("includes/\(index)").mismatch(
          "the UUID or the fixed handle of a service of this peripheral")
      }
    }
  }

  private func checkTargets(_ characteristic: CharacteristicSpec, _ place: JSONNode) throws(JSONError) {
    switch characteristic.writing {
    case .echo(let target): try checkTarget(target, place.at("echo"))
    case .burst(let target): try checkTarget(target, place.at("burst"))
    case .answer(let answers):
      for (index, answer) in answers.enumerated() {
        try checkTarget(answer.source, place.at("answers/\(index)/from"))
      }
    default: break
    }
  }

  private func checkTarget(_ target: BluetoothUUID, _ place: JSONNode) throws(JSONError) {
    let candidates = spec.services.flatMap(\.characteristics).filter { $0.uuid == target }
    guard !candidates.isEmpty else { throw place.mismatch("a characteristic of this peripheral") }
    guard candidates.contains(where: \.properties.isSubscribable) else {
      throw place.mismatch("a characteristic with the property \"notify\" or \"indicate\"")
    }
  }
}
