// SPDX-License-Identifier: MIT
package import BLECentral
internal import BLEFormats
package import BlectlArguments
package import BlectlSession

/// The characteristics that form the serial port of a device: those that were named, or those of a known
/// service.
package struct SerialChoice: Sendable {
  private let rx: CharacteristicArgument?
  private let tx: CharacteristicArgument?

  /// - Parameters:
  ///   - rx: what the device receives on; nil takes `tx`, or a known service if both are nil.
  ///   - tx: what the device transmits on; nil takes `rx`.
  package init(rx: CharacteristicArgument? = nil, tx: CharacteristicArgument? = nil) {
    (self.rx, self.tx) = (rx, tx)
  }

  /// The named characteristics, to be looked up on the device; nil if a known service is wanted.
  package var named: [CharacteristicArgument]? {
    guard let first = rx ?? tx else { return nil }
    return [first, tx ?? first]
  }

  /// Finds the port of a known service.
  ///
  /// - Throws: ``CommandError`` if there is none, or more than one.
  package static func known(
    in services: [GATTService], of link: DeviceConnection
  ) throws(CommandError) -> SerialEnds {
    let found = all(in: services)
    if found.count == 1 { return found[0] }
    guard found.isEmpty else {
      let uuids = services.flatMap(\.characteristics).map(\.uuid)
      func argument(_ characteristic: GATTCharacteristic) -> String {
        let isUnique = uuids.count { $0 == characteristic.uuid } == 1
        return isUnique ? "\(characteristic.uuid)" : characteristic.handleArgument
      }
      throw CommandError(
        status: .notFound, message: "cannot choose the serial port: \(link.title) has \(found.count)",
        details: found.map { "\($0.name): --rx \(argument($0.rx)) --tx \(argument($0.tx))" },
        hint: "name one of them with --rx and --tx")
    }
    let candidates = services.flatMap(\.characteristics).filter { $0.isWritable || $0.notifies }
    throw CommandError(
      status: .notFound,
      message: "cannot find the serial port of \(link.title): it has no service that is known as one",
      details: candidates.map { "\($0.label) \($0.properties.names.joined(separator: ","))" },
      hint: "blectl serial \(link.info.address) --rx CHAR --tx CHAR, if two of these are one")
  }

  /// The ports of all known services, several of one kind too.
  private static func all(in services: [GATTService]) -> [SerialEnds] {
    SerialService.all.flatMap { known in
      services.filter { $0.uuid == known.uuid }.compactMap { SerialEnds(known, in: $0) }
    }
  }

  /// Checks that two named characteristics can be a port; one of a known service keeps its credits.
  ///
  /// - Throws: ``CommandError`` if the first cannot be written, or the second does not notify.
  package static func checked(
    rx: GATTCharacteristic, tx: GATTCharacteristic, in services: [GATTService], of link: DeviceConnection
  ) throws(CommandError) -> SerialEnds {
    if let known = all(in: services).first(where: { $0.rx == rx && $0.tx == tx }) { return known }
    let isSwapped = rx.notifies && tx.isWritable && rx != tx
    let hint = isSwapped ? "--rx is what the device receives on: --rx \(tx.uuid) --tx \(rx.uuid)" : nil
    func fault(_ characteristic: GATTCharacteristic, _ reason: String) -> CommandError {
      CommandError(
        status: .failed,
        message: "cannot use \(characteristic.title) of \(link.title) as a serial port: \(reason)",
        hint: hint)
    }
    guard rx.isWritable else { throw fault(rx, "it cannot be written") }
    guard tx.notifies else { throw fault(tx, "it has neither notifications nor indications") }
    return SerialEnds(rx: rx, tx: tx)
  }
}

/// The characteristics of a device's serial port.
package struct SerialEnds: Sendable {
  /// The credits of a port, and what is known about them.
  package struct Credits: Sendable {
    let rx: GATTCharacteristic
    let tx: GATTCharacteristic
    let rules: SerialService.Credits
  }

  let name: String
  let rx: GATTCharacteristic
  let tx: GATTCharacteristic
  let credits: Credits?

  init(rx: GATTCharacteristic, tx: GATTCharacteristic) {
    (name, self.rx, self.tx, credits) = ("\(rx.uuid)", rx, tx, nil)
  }

  /// Fails if the service lacks a part of the port; without the credits, it has none.
  init?(_ known: SerialService, in service: GATTService) {
    func find(_ uuid: BluetoothUUID) -> GATTCharacteristic? {
      service.characteristics.first { $0.uuid == uuid }
    }
    guard let rx = find(known.rx), let tx = find(known.tx), rx.isWritable, tx.notifies else { return nil }
    (name, self.rx, self.tx) = (known.name, rx, tx)
    if let rules = known.credits, let rx = find(rules.rx), let tx = find(rules.tx), rx.isWritable, tx.notifies
    {
      credits = Credits(rx: rx, tx: tx, rules: rules)
    } else {
      credits = nil
    }
  }
}

extension GATTCharacteristic {
  var isWritable: Bool { !properties.isDisjoint(with: [.write, .writeWithoutResponse]) }
  var notifies: Bool { !properties.isDisjoint(with: [.notify, .indicate]) }
}
