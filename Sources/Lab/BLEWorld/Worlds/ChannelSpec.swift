// SPDX-License-Identifier: MIT

/// An L2CAP channel that a peripheral offers.
package struct ChannelSpec: Sendable, Equatable {
  /// Its number, 1 to 255.
  package var psm: UInt16
  package var behaviour: ChannelBehaviour

  package init(psm: UInt16, _ behaviour: ChannelBehaviour = .echo) {
    (self.psm, self.behaviour) = (psm, behaviour)
  }
}

/// The response of a peripheral to the packets of a channel.
package enum ChannelBehaviour: Sendable, Equatable {
  /// Sends them back.
  case echo
  /// Takes none: it grants no more credits.
  case hold
  /// Sends them back, and closes the channel after so many bytes.
  case close(after: Int)
}
