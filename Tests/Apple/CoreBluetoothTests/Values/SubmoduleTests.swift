// SPDX-License-Identifier: MIT
internal import CoreBluetooth.CBCentralManager
internal import CoreBluetooth.CBUUID
internal import Testing

/// Some programs import single headers of Apple's framework.
@Suite("Submodules of CoreBluetooth")
struct SubmoduleTests {
  @Test("A file that imports submodules has the whole interface")
  func interface() {
    #expect(CBUUID(string: "180D").uuidString == "180D")
    #expect(CBCentralManager.supports(.extendedScanAndConnect) == false)
    #expect(Data([1]).count == 1)
  }
}
