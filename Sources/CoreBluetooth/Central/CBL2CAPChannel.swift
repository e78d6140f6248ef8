// SPDX-License-Identifier: MIT
public import Foundation

/// An L2CAP channel; BlueZ offers none to programs, so none is ever opened.
open class CBL2CAPChannel: NSObject, @unchecked Sendable {
  private let otherEnd: CBPeer
  private let input: InputStream
  private let output: OutputStream
  private let number: CBL2CAPPSM

  init(peer: CBPeer, input: InputStream, output: OutputStream, psm: CBL2CAPPSM) {
    (otherEnd, self.input, self.output, number) = (peer, input, output, psm)
  }

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The device at the other end.
  open var peer: CBPeer! { otherEnd }
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The data from the other end.
  open var inputStream: InputStream! { input }
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The data to the other end.
  open var outputStream: OutputStream! { output }
  /// The number of the channel.
  open var psm: CBL2CAPPSM { number }
}
