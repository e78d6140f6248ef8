// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON

/// A request from somebody other than the user of the command: a client of the page, or of a broker.
package struct RemoteRequest: Sendable, Hashable {
  package enum Action: Sendable, Hashable {
    case read
    /// A VALUE, as on the command line.
    case write(String)
  }

  /// As it was written: it may be none.
  package let address: String
  /// As it was written, such as `2a37` or `battery-level`: it may be none.
  package let characteristic: String
  package let action: Action

  package init(_ action: Action, _ characteristic: String, of address: String) {
    (self.action, self.characteristic, self.address) = (action, characteristic, address)
  }
}

/// The outcome of a request.
package enum RemoteOutcome: Sendable {
  /// The device has confirmed it; a read brings a value.
  case done(RemoteValue? = nil)
  /// A write without response has reached the device, which does not say whether it takes it.
  case handedOver
  /// It has not happened.
  case failed(String)
  /// The request may have reached the device.
  case unknown(String)

  /// The message for a request that is not known to have been carried out; nil if it has been.
  package var problem: String? {
    switch self {
    case .done, .handedOver: nil
    case .failed(let reason): reason
    case .unknown(let reason): "\(reason); the device may still have received it"
    }
  }

  package func write(to json: inout JSONWriter) {
    switch self {
    case .done(let value):
      json.field("status", "done")
      if let value { json.fields(value: value.bytes, decoded: value.decoded) }
    case .handedOver:
      json.field("status", "done")
      json.field("acknowledged", false)
    case .failed(let reason):
      json.field("status", "failed")
      json.field("error", reason)
    case .unknown(let reason):
      json.field("status", "unknown")
      json.field("error", reason)
    }
  }
}

/// A value that was read, and its meaning, if it is known.
package struct RemoteValue: Sendable {
  package let bytes: [UInt8]
  package let decoded: DecodedFields?

  package init(_ bytes: [UInt8], decoded: DecodedFields?) { (self.bytes, self.decoded) = (bytes, decoded) }
}
