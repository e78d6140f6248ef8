// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
internal import ValueStreams

/// The names that a person gives the devices.
///
/// No other place names them.
package final class DeviceNames: DeviceNaming {
  /// The number of addresses that are remembered.
  ///
  /// Strangers invent new ones all the time.
  private static let memory = 10_000

  private let keys: KeyStore
  private let own: @Sendable () -> [ProfileDevice]
  private let warn: @Sendable (String) -> Void
  /// Nil until the first device is named.
  private let known = Lock<Acquaintances?>(nil)

  ///   - own: the devices of profiles, which are asked for once, when the first device is named.
  ///   - warn: reports, once, that private addresses cannot be resolved.
  package init(
    keys: KeyStore, own: @escaping @Sendable () -> [ProfileDevice] = { Vocabulary.known.profiles.devices },
    warn: @escaping @Sendable (String) -> Void
  ) {
    (self.keys, self.own, self.warn) = (keys, own, warn)
  }

  package func label(of address: BluetoothAddress, _ type: AddressType?) -> DeviceLabel? {
    let (label, problem) = withKnown { $0.label(of: address, isRandom: type != .public) }
    if let problem { warn("cannot resolve private addresses: \(problem)") }
    return label
  }

  /// Returns whether a device that may hide behind private addresses has this own address.
  package func hasIdentity(at address: BluetoothAddress) -> Bool {
    withKnown { $0.ring.identities.contains { $0.address == address } }
  }

  private func withKnown<Result>(_ body: (Acquaintances) -> Result) -> Result {
    known.withLock { known in
      let acquaintances = known ?? Acquaintances(ring: keys.ring, own: own())
      known = acquaintances
      return body(acquaintances)
    }
  }

  /// Guarded by the lock.
  private final class Acquaintances {
    let ring: KeyRing
    private let names: [BluetoothAddress: String]
    private let namesOfIdentities: [String: String]
    private let areNone: Bool
    /// Nil for strangers.
    private var labels: [BluetoothAddress: DeviceLabel?] = [:]
    private var hasFailed = false

    init(ring: KeyRing, own: [ProfileDevice]) {
      self.ring = ring
      names = Dictionary(own.compactMap { own in own.address.map { ($0, own.name) } }) { first, _ in first }
      namesOfIdentities = Dictionary(own.compactMap { own in own.identity.map { ($0, own.name) } }) {
        first, _ in
        first
      }
      areNone = ring.identities.isEmpty && own.isEmpty
    }

    /// Returns also the first error.
    func label(
      of address: BluetoothAddress, isRandom: Bool
    ) -> (DeviceLabel?, problem: DecryptionError?) {
      if areNone { return (nil, nil) }
      if let known = labels[address] { return (known, nil) }
      var problem: DecryptionError?
      let identity = identity(at: address, isRandom: isRandom, &problem)
      let name = names[address] ?? identity.flatMap { namesOfIdentities[$0.name] ?? $0.name }
      let label = name == nil ? nil : DeviceLabel(name: name, identity: identity)
      if labels.count >= DeviceNames.memory { labels = [:] }
      labels[address] = .some(label)
      defer { if problem != nil { hasFailed = true } }
      return (label, hasFailed ? nil : problem)
    }

    private func identity(
      at address: BluetoothAddress, isRandom: Bool, _ problem: inout DecryptionError?
    ) -> PrivateIdentity? {
      var found = ring.identities.first { $0.address == address }
      if found == nil, isRandom, address.randomKind == .resolvable {
        do throws(DecryptionError) { found = try ring.identity(at: address) } catch { problem = error }
      }
      return found.map { PrivateIdentity(name: $0.name, address: $0.address) }
    }
  }
}
