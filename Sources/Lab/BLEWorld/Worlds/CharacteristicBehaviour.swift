// SPDX-License-Identifier: MIT
package import BLEFormats

/// The effect of a read of a characteristic, which is refused without the property `read`.
package enum ReadBehaviour: Sendable, Equatable {
  case value
  case slow(Duration)
  case stall
  /// Refuses with an ATT error code.
  case fails(UInt8)
  /// Returns the next value of a sequence and stores it as the value.
  case next(ValueGenerator)
}

/// The effect of a write of a characteristic, which is refused without a write property.
package enum WriteBehaviour: Sendable, Equatable {
  case store
  case discard
  /// Refuses with an ATT error code.
  case fails(UInt8)
  /// Sets the bytes as the value of another characteristic of the service, which notifies or indicates them.
  case echo(to: BluetoothUUID)
  /// Reads the bytes as a 16-bit count N; another characteristic of the service sends N numbered values.
  case burst(to: BluetoothUUID)
  /// Notifies answers on other characteristics if the bytes match a pattern.
  case answer([WriteAnswer])
  /// Succeeds, then closes the link.
  case hangUp
  case stall
}

/// A notification that answers a write.
package struct WriteAnswer: Sendable, Equatable {
  /// The bytes to match; nil matches any byte and captures it.
  package var request: [UInt8?]
  /// The bytes to notify; each nil is replaced by the next captured byte.
  package var response: [UInt8?]
  /// The characteristic that notifies, in any service.
  package var source: BluetoothUUID
  /// True if more bytes may follow those of the request.
  package var allowsMore: Bool

  package init(
    to request: [UInt8?], with response: [UInt8?], on source: BluetoothUUID, allowsMore: Bool = false
  ) {
    (self.request, self.response, self.source) = (request, response, source)
    self.allowsMore = allowsMore
  }

  /// Returns the response to these bytes, or nil if they do not match.
  package func response(to bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count == request.count || allowsMore && bytes.count > request.count else { return nil }
    var kept: [UInt8] = []
    for (wanted, byte) in zip(request, bytes) {
      if let wanted, wanted != byte { return nil }
      if wanted == nil { kept.append(byte) }
    }
    var next = kept.makeIterator()
    return response.map { $0 ?? next.next() ?? 0 }
  }
}

/// The notifications that a characteristic sends unprompted while a client is subscribed.
package enum NotifyBehaviour: Sendable, Equatable {
  /// Only writes cause notifications.
  case onDemand
  /// The values of a sequence, which restarts with each subscription.
  case generate(ValueGenerator, every: Duration)
  case replay(Recording)
  /// `count` notifications of a 32-bit counter from 0 and 16 bytes `a5`; without `perSecond`, without pauses.
  case flood(count: Int, perSecond: Int? = nil)
}

extension NotifyBehaviour {
  /// Returns the behaviour that sends these values in turn, repeated forever.
  package static func cycle(_ values: [[UInt8]], every interval: Duration) -> NotifyBehaviour {
    .generate(.list(values), every: interval)
  }
}
