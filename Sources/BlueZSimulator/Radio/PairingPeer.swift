// SPDX-License-Identifier: MIT

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

  init(_ spec: PairingSpec) { self.spec = spec }

  var bondCount: Int { keys.count }

  func key(for adapter: String) -> BondKey? { keys[adapter] }

  func keep(_ key: BondKey, for adapter: String) { keys[adapter] = key }

  func forgetBonds() { keys = [:] }

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
