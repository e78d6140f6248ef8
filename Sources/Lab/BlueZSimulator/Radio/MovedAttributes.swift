// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import PeripheralEmulator

/// The attributes of a peripheral whose characteristics have other handles than before, within the same services.
final class MovedAttributes: AttributeAccess {
  private let server: AttributeServer
  private let distance: UInt16

  init(_ server: AttributeServer, by distance: UInt16) { (self.server, self.distance) = (server, distance) }

  var layout: AttributeLayout {
    AttributeLayout(
      server.layout.services.map { service in
        var moved = service
        moved.characteristics = service.characteristics.map(moved(_:))
        return moved
      })
  }

  private func moved(_ characteristic: AttributeLayout.Characteristic) -> AttributeLayout.Characteristic {
    AttributeLayout.Characteristic(
      handle: characteristic.handle &+ distance, spec: characteristic.spec,
      descriptors: characteristic.descriptors.map {
        AttributeLayout.Descriptor(handle: $0.handle &+ distance, spec: $0.spec)
      })
  }

  func read(
    _ handle: UInt16, offset: Int, over link: any PeripheralLink, then answer: @escaping ATTAnswer
  ) {
    guard handle > distance else { return answer(.failure(.invalidHandle)) }
    server.read(handle - distance, offset: offset, over: link, then: answer)
  }

  func write(
    _ handle: UInt16, _ bytes: [UInt8], offset: Int, over link: any PeripheralLink,
    then answer: @escaping ATTAnswer
  ) {
    guard handle > distance else { return answer(.failure(.invalidHandle)) }
    server.write(handle - distance, bytes, offset: offset, over: link, then: answer)
  }
}
