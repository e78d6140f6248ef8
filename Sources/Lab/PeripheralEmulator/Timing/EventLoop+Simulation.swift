// SPDX-License-Identifier: MIT
package import AsyncIO

extension EventLoop {
  /// The loop that all simulations of the process share.
  package static let simulation = EventLoop(name: "bluez-sim")
}
