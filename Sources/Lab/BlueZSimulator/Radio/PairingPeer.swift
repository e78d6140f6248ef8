// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import PeripheralEmulator

/// A peripheral's side of pairing: its keys, its display and its keyboard.
///
/// Its bonds outlive links and the daemon.
final class PairingPeer {
  let spec: PairingSpec
  /// The keys of its bonds, by the address of the adapter.
  private var keys: [String: BondKey] = [:]
  /// The number that it shows now: a passkey, or the number to compare.
  var shown: UInt32?
  /// The passkey that a command typed before the peripheral asked for one.
  private var typed: UInt32?
  /// Called with the passkey that its user types.
  private var onTyped: ((UInt32) -> Void)?
  /// Asks an adapter's user whether the device at an address may pair; nil for a peripheral of the world.
  var onRequest: ((String, @escaping (Bool) -> Void) -> Void)?
  /// Called with the key of a pairing that the other side started, and that side's address.
  var onKey: (BondKey, String) -> Void = { _, _ in }

  init(_ spec: PairingSpec) { self.spec = spec }

  var bondCount: Int { keys.count }

  func key(for adapter: String) -> BondKey? { keys[adapter] }

  func keep(_ key: BondKey, for adapter: String) { keys[adapter] = key }

  func forgetBonds() { keys = [:] }

  func forgetBond(with adapter: String) { keys[adapter] = nil }

  // MARK: A request to pair

  func decide(on address: String, then answer: @escaping (Bool) -> Void) {
    if let onRequest { onRequest(address, answer) } else { answer(true) }
  }

  /// Accepts the key of a pairing that the other side started.
  func agreed(on key: BondKey, with address: String) { onKey(key, address) }

  // MARK: Its user

  /// Types a passkey: for the open question, or for the next.
  func type(_ passkey: UInt32) {
    guard let onTyped else { return typed = passkey }
    self.onTyped = nil
    onTyped(passkey)
  }

  /// Asks its user for the passkey that the other side shows; nil if both sides type one.
  func askToType(shown passkey: UInt32?, then answer: @escaping (UInt32) -> Void) {
    if let typed {
      self.typed = nil
      return answer(typed)
    }
    switch (spec.typing, passkey) {
    case (.right, let passkey?): answer(passkey)
    case (.wrong, let passkey?): answer((passkey + 1) % 1_000_000)
    default: onTyped = answer
    }
  }

  func ended() {
    shown = nil
    onTyped = nil
  }

  func reset() {
    forgetBonds()
    typed = nil
  }
}

/// The key of a bond, equal on both sides.
struct BondKey: Hashable {
  let number: Int
  let security: LinkSecurity
}
