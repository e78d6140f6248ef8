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
  /// What it shows now: a passkey, or the number to compare.
  var shown: UInt32?
  /// What a command has typed, until the peripheral asks for it.
  private var typed: UInt32?
  /// Waits for the passkey that its user types.
  private var onTyped: ((UInt32) -> Void)?
  /// Asks the user of an adapter whether a device may pair, by its address; nil for a peripheral, which is described.
  var onRequest: ((String, @escaping (Bool) -> Void) -> Void)?
  /// Called with the key of a pairing that the other side has begun, and its address.
  var onKey: (BondKey, String) -> Void = { _, _ in }

  init(_ spec: PairingSpec) { self.spec = spec }

  var bondCount: Int { keys.count }

  func key(for adapter: String) -> BondKey? { keys[adapter] }

  func keep(_ key: BondKey, for adapter: String) { keys[adapter] = key }

  func forgetBonds() { keys = [:] }

  func forgetBond(with adapter: String) { keys[adapter] = nil }

  // MARK: A request to pair

  /// Decides on a request of a device.
  func decide(on address: String, then answer: @escaping (Bool) -> Void) {
    if let onRequest { onRequest(address, answer) } else { answer(true) }
  }

  /// A pairing that the other side has begun has succeeded.
  func agreed(on key: BondKey, with address: String) { onKey(key, address) }

  // MARK: Its user

  /// Types a passkey: for the question that waits, or for the next.
  func type(_ passkey: UInt32) {
    guard let onTyped else { return typed = passkey }
    self.onTyped = nil
    onTyped(passkey)
  }

  /// Asks its user for the passkey that the other side shows, or, where both type, for any.
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

  /// The pairing has ended.
  func ended() {
    shown = nil
    onTyped = nil
  }

  /// Forgets what a test has changed.
  func reset() {
    forgetBonds()
    typed = nil
  }
}
