// SPDX-License-Identifier: MIT
public import Foundation

/// A channel of L2CAP: BlueZ has none for programs, so that none is ever opened.
open class CBL2CAPChannel: NSObject, @unchecked Sendable {
  private let otherEnd: CBPeer
  private let input: InputStream
  private let output: OutputStream
  private let number: CBL2CAPPSM

  init(peer: CBPeer, input: InputStream, output: OutputStream, psm: CBL2CAPPSM) {
    (otherEnd, self.input, self.output, number) = (peer, input, output, psm)
  }

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The other end.
  open var peer: CBPeer! { otherEnd }
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// What the other end sends.
  open var inputStream: InputStream! { input }
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// What is sent to the other end.
  open var outputStream: OutputStream! { output }
  /// The number of the channel.
  open var psm: CBL2CAPPSM { number }
}
