// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// An advertisement on the air, or one that waits for BlueZ or the adapter; confined to the loop's thread.
final class Advertiser: Registrable {
  private(set) var advertisement: Advertisement
  let advertising: Advertising
  private unowned let registrar: Registrar
  private let client: BlueZClient
  private let events: EventHub
  /// The properties that bluetoothd knows.
  private var sent: [(String, DBusValue)] = []

  init(
    _ advertisement: Advertisement, of registrar: Registrar, _ client: BlueZClient, _ events: EventHub
  ) {
    (self.advertisement, self.registrar) = (advertisement, registrar)
    (self.client, self.events) = (client, events)
    let number = registrar.nextNumber()
    advertising = Advertising(number: number, advertisement: advertisement)
    let root = "\(Registrable.rootPath)/advertiser\(number)"
    super.init(
      .advertisement, number: number, root: root, path: root + "/advertisement", action: .advertise)
  }

  override var objects: [LocalObject] {
    sent = properties
    return [
      LocalObject(
        path: path, interface: BlueZ.advertisement, properties: sent,
        // BlueZ sets the transmit power and the instance that it chose.
        take: { property, _ in ["TxPower", "Instance"].contains(property) },
        perform: client.loop.confined { [weak self] method, call in
          guard method == "Release" else { return nil }
          self?.released()
          return .now(Message(replyTo: call))
        })
    ]
  }

  override func registered() {
    // It may have changed while bluetoothd read it.
    synchronize()
    events.report(.advertisingStarted(advertising))
  }

  /// Replaces the contents, on the air as soon as bluetoothd has the advertisement.
  func change(to advertisement: Advertisement) {
    self.advertisement = advertisement
    if registration != nil { synchronize() }
  }

  /// Tells bluetoothd what differs from what it knows.
  private func synchronize() {
    let former = sent
    sent = properties
    let changed = sent.filter { property in
      !former.contains { $0.0 == property.0 && $0.1 == property.1 }
    }
    let removed = former.map(\.0).filter { name in !sent.contains { $0.0 == name } }
    guard !changed.isEmpty || !removed.isEmpty else { return }
    client.connection.post(
      Message(signal: "PropertiesChanged", of: StandardInterface.properties, at: path) { writer in
        writer.string(BlueZ.advertisement)
        writer.properties(changed)
        writer.value(.strings(removed))
      })
  }

  /// Handles the end by BlueZ: the time is over, or the adapter or the daemon goes away.
  private func released() {
    guard registrar[number] === self else { return }
    let isOver = advertisement.duration != nil
    registrar.released(self, isOver: isOver)
    if isOver { events.report(.advertisingEnded(advertising)) }
  }

  private var properties: [(String, DBusValue)] {
    var properties: [(String, DBusValue)] = [
      ("Type", .string(advertisement.isConnectable ? "peripheral" : "broadcast"))
    ]
    if advertisement.isConnectable {
      properties.append(("Discoverable", .boolean(advertisement.isDiscoverable)))
    }
    if let name = advertisement.name { properties.append(("LocalName", .string(name))) }
    if !advertisement.services.isEmpty {
      properties.append(("ServiceUUIDs", .strings(advertisement.services.map(\.longForm))))
    }
    if !advertisement.manufacturerData.isEmpty {
      let entries = advertisement.manufacturerData.sorted { $0.key < $1.key }.map { company, data in
        DBusValue.Entry(.uint16(company), .variant(.bytes(data)))
      }
      properties.append(("ManufacturerData", .dictionary(key: "q", value: "v", entries)))
    }
    if !advertisement.serviceData.isEmpty {
      let entries = advertisement.serviceData.sorted { $0.key < $1.key }
      properties.append(("ServiceData", .properties(entries.map { ($0.key.longForm, .bytes($0.value)) })))
    }
    if let appearance = advertisement.appearance {
      properties.append(("Appearance", .uint16(appearance.rawValue)))
    }
    if advertisement.includesTxPower { properties.append(("Includes", .strings(["tx-power"]))) }
    if let interval = advertisement.interval {
      properties.append(("MinInterval", .uint32(UInt32(interval.lowerBound / .milliseconds(1)))))
      properties.append(("MaxInterval", .uint32(UInt32(interval.upperBound / .milliseconds(1)))))
    }
    if let channel = advertisement.secondaryChannel {
      properties.append(("SecondaryChannel", .string(channel.rawValue)))
    }
    if let duration = advertisement.duration {
      properties.append(("Timeout", .uint16(UInt16(duration / .seconds(1)))))
    }
    return properties
  }
}
