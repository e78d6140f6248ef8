// SPDX-License-Identifier: MIT

/// A possible remedy.
package enum Advice: Sendable, Hashable {
  /// Pair: BlueZ never answers a request that requires pairing if no program has registered an agent.
  case pair
  /// Pair, if need be with a passkey: the device asks for one.
  case pairWithPasskey
  /// Pair: only the answer to Device1.Pair tells why the device refuses.
  case pairToLearnWhy
  /// Pair with a passkey: the existing keys may not be sufficient.
  case pairAgain
  /// The service ended while a link was encrypted: the device may have lost its keys.
  case unpair
  /// The service ended while it discovered services: its cached services may be outdated.
  case forgetIfAgain
  /// The same happened before.
  case forget
  /// BlueZ had services of an earlier link: they may be those of an older firmware.
  case forgetOldServices
  /// Try for longer: the device was away for as long as it may be.
  case reconnectForLonger
  /// bluetoothd runs, but answers nothing.
  case restartService
  /// Try again: a link that is being closed ends soon.
  case tryAgain
  /// The connection to the host of the bus failed: see whether this command logs in there.
  case logIn(String)
}
