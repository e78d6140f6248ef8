// SPDX-License-Identifier: MIT

/// What might help.
package enum Advice: Sendable, Hashable {
  /// BlueZ never answers a request that requires pairing while no program has registered an agent.
  case pair
  /// With a passkey: the keys that exist may not be enough.
  case pairAgain
  /// The service has ended while a link was encrypted: the device may have lost its keys.
  case unpair
  /// The service has ended while it looked for services: those that it has cached may be elsewhere now.
  case forgetIfAgain
  /// It has done so before.
  case forget
}
