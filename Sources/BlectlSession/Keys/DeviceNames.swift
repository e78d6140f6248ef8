// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral

/// What a person calls the devices: the one place that names them.
package final class DeviceNames: DeviceNaming {
  /// How many private addresses are remembered: strangers invent new ones all the time.
  private static let memory = 10_000

  private let keys: KeyStore
  private let warn: @Sendable (String) -> Void
  /// The owners of private addresses; nil for strangers.
  private let owners = Lock<[BluetoothAddress: DeviceIdentity?]>([:])
  private let hasWarned = Lock(false)

  /// `warn` reports, once, that private addresses cannot be resolved.
  package init(keys: KeyStore, warn: @escaping @Sendable (String) -> Void) {
    (self.keys, self.warn) = (keys, warn)
  }

  package func label(of address: BluetoothAddress, _ type: AddressType?) -> DeviceLabel? {
    let identities = keys.ring.identities
    if identities.isEmpty { return nil }
    guard let identity = identity(at: address, isRandom: type != .public) else { return nil }
    return DeviceLabel(name: identity.name, identity: identity)
  }

  /// Whether a device that may hide behind private addresses has this own address.
  package func hasIdentity(at address: BluetoothAddress) -> Bool {
    keys.ring.identities.contains { $0.address == address }
  }

  private func identity(at address: BluetoothAddress, isRandom: Bool) -> DeviceIdentity? {
    if let known = owners.withLock({ $0[address] }) { return known }
    let ring = keys.ring
    var found = ring.identities.first { $0.address == address }
    if found == nil, isRandom, address.randomKind == .resolvable {
      do throws(DecryptionError) {
        found = try ring.identity(at: address)
      } catch {
        if !hasWarned.exchange(true) { warn("cannot resolve private addresses: \(error)") }
      }
    }
    let identity = found.map { DeviceIdentity(name: $0.name, address: $0.address) }
    owners.withLock { owners in
      if owners.count >= Self.memory { owners = [:] }
      owners[address] = .some(identity)
    }
    return identity
  }
}
