// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import TestSupport
internal import Testing

extension Contract {
  /// A device whose attributes have moved since BlueZ has cached them, and which cannot tell it.
  @Suite("Changed firmware", .serialized)
  struct ChangedFirmware {
    private static let strap = "\(BuiltIn.strap)"
    private static let model = "2a24"

    @Test("A moved value is right or an error, never another one, and right once the device is forgotten")
    func movedAttributes() async throws {
      let stage = try await Stages.shared.value
      let blectl = Blectl(bus: stage.address)
      func read() async throws -> ToolResult { try await blectl.run("read", Self.strap, Self.model) }
      let before = try await read()
      #expect(before.status == 0, "\(before.errorText)")
      _ = try await blectl.run("disconnect", Self.strap, "-q")
      try await stage.changeFirmware(of: Self.strap, isNew: true)
      do {
        let moved = try await read()
        #expect(moved.status != 0 || moved.text == before.text, "\(moved.text)")
        #expect(try await blectl.run("forget", Self.strap, "-q").status == 0)
        let after = try await read()
        #expect(after.status == 0 && after.text == before.text, "\(after.errorText)")
      } catch {
        try? await restore(stage, blectl)
        throw error
      }
      try await restore(stage, blectl)
    }

    private func restore(_ stage: any Stage, _ blectl: Blectl) async throws {
      _ = try await blectl.run("forget", Self.strap, "-q")
      try await stage.changeFirmware(of: Self.strap, isNew: false)
    }
  }
}
