// SPDX-License-Identifier: MIT
package import BLEWorld

/// A characteristic of an attribute server, as commands change it.
package struct AttributeEffects: CharacteristicTarget {
  private let server: AttributeServer
  private let handle: UInt16
  private let signalAgain: () -> Void

  /// `handle` is that of its value; `signalAgain` makes the daemon signal all its properties again.
  package init(_ server: AttributeServer, _ handle: UInt16, signalAgain: @escaping () -> Void = {}) {
    self.server = server
    self.handle = handle
    self.signalAgain = signalAgain
  }

  package func setValue(_ value: [UInt8]) { server.setAndNotify(handle, value) }
  package func repeatProperties() { signalAgain() }
  package func begin(_ fault: AnswerFault) { server.answerFaults.add(fault, to: handle) }
  package func heal() { server.answerFaults.removeAll(of: handle) }
}
