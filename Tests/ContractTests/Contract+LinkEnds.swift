// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEWorld
internal import TestSupport
internal import Testing

extension Contract {
  @Suite("Ends of links")
  struct LinkEnds {
    private static let isReported = Stages.version >= .v5_87

    @Test("A device that ends the link is the reason, in the error of a subscription and in the event")
    func byDevice() async throws {
      let stage = try await Stages.shared.value
      try await Contract.withCentral { central in
        let peripheral = try await Contract.find(BuiltIn.strap, central)
        try await Contract.connect(peripheral)
        var events = await central.events().makeAsyncIterator()
        let rate = try await peripheral.characteristic(.heartRateMeasurement)
        var values = try await peripheral.notifications(for: rate).makeAsyncIterator()
        try await stage.drop("\(BuiltIn.strap)")
        let error = await #expect(throws: BLEError.self) { while try await values.next() != nil {} }
        #expect(error?.code == .disconnected)
        #expect(error?.linkEnd == (Self.isReported ? .remote : .unreported))
        #expect(error?.message.contains("the device ended it") == Self.isReported, "\(error?.message ?? "")")
        var end: PeripheralInfo?
        while end == nil, let event = try await events.next() {
          if case .disconnected(let info) = event.kind, info.peripheral == peripheral { end = info }
        }
        #expect(end?.linkEnd == (Self.isReported ? .remote : nil))
      }
    }

    @Test("A link that a program closes is ended by this machine")
    func byMachine() async throws {
      try await Contract.withCentral { central in
        let peripheral = try await Contract.find(BuiltIn.strap, central)
        try await Contract.connect(peripheral)
        try await peripheral.disconnect()
        #expect(try await peripheral.info.linkEnd == (Self.isReported ? .local : nil))
      }
    }
  }
}
