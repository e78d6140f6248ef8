// SPDX-License-Identifier: MIT

/// What a peripheral does when a characteristic is read.
///
/// Without the property `read` every read is refused.
package enum ReadBehaviour: Sendable, Hashable {
  /// Gives the value.
  case value
  /// Gives the value after a while.
  case slow(Duration)
  /// Gives no answer within any patience.
  case stall
  /// Refuses with an ATT error code.
  case fails(UInt8)
  /// Gives the next value of a sequence, which is then the value.
  case next(ValueGenerator)
}

/// What a peripheral does when a characteristic is written.
///
/// Without a write property every write is refused.
package enum WriteBehaviour: Sendable, Hashable {
  /// Keeps the bytes as the value, at most 512.
  case store
  /// Accepts the bytes and forgets them.
  case discard
  /// Refuses with an ATT error code.
  case fails(UInt8)
  /// Makes the bytes the value of another characteristic of the service, which notifies (or indicates) them.
  case echo(to: AttributeUUID)
  /// Takes the bytes as a 16-bit count N: another characteristic of the service notifies N times, numbered.
  case burst(to: AttributeUUID)
  /// Lets other characteristics answer to what fits a pattern.
  case answer([WriteAnswer])
  /// Succeeds, then closes the link.
  case hangUp
  /// Gives no answer within any patience.
  case stall
}

/// A notification that answers a write.
package struct WriteAnswer: Sendable, Hashable {
  /// The bytes that are written; nil stands for any byte, which is kept.
  package var request: [UInt8?]
  /// The bytes that are notified; nil stands for the next one of those kept.
  package var response: [UInt8?]
  /// Who notifies: a characteristic of any service.
  package var source: AttributeUUID

  package init(to request: [UInt8?], with response: [UInt8?], on source: AttributeUUID) {
    self.request = request
    self.response = response
    self.source = source
  }

  /// The response to these bytes; nil when they do not fit.
  func response(to bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count == request.count else { return nil }
    var kept: [UInt8] = []
    for (wanted, byte) in zip(request, bytes) {
      if let wanted, wanted != byte { return nil }
      if wanted == nil { kept.append(byte) }
    }
    var next = kept.makeIterator()
    return response.map { $0 ?? next.next() ?? 0 }
  }
}

/// What a characteristic notifies by itself while a client is subscribed.
package enum NotifyBehaviour: Sendable, Hashable {
  /// Nothing: only what writes cause.
  case onDemand
  /// The values of a sequence, from its beginning at each subscription; the last one is the value.
  case generate(ValueGenerator, every: Duration)
  /// The values of a log.
  case replay(Recording)
  /// So many notifications: each a 32-bit number from 0, then bytes `a5`, 20 in all.
  ///
  /// So many a second; as fast as they can be sent when that is nil.
  case flood(count: Int, perSecond: Int? = nil)
}

extension NotifyBehaviour {
  /// These values in turn, for ever.
  package static func cycle(_ values: [[UInt8]], every interval: Duration) -> NotifyBehaviour {
    .generate(.list(values), every: interval)
  }
}
