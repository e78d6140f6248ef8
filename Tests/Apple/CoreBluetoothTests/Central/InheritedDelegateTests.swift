// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import Testing

@testable internal import CoreBluetooth

/// Swift calls what the class that conforms has, or what a subclass overrides of it; Objective-C calls any method of that name.
@Suite("Delegates that inherit their conformance", .serialized, .timeLimit(.minutes(1)))
struct InheritedDelegateTests {
  private class Base: NSObject, CBCentralManagerDelegate {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
  }

  private class Middle: Base {}

  private final class Sub: Middle {
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {}
  }

  private func linesOfMisuse(_ body: () throws -> Void) rethrows -> [String] {
    let lines = Lock<[String]>([])
    Misuse.observe { line in lines.withLock { $0.append(line) } }
    try body()
    return lines.withLock { $0 }.filter { $0.contains("CBCentralManagerDelegate") }
  }

  private func peripheral() throws -> CBPeripheral {
    let address = try #require(BluetoothAddress("F2:CE:17:00:00:01"))
    let session = CentralSession(EngineKey(["blectl.bus": "unix:path=/nonexistent"]), queue: nil)
    return session.peripheral(
      for: KnownDevice(
        identifier: PeerIdentifier.identifier(of: address), address: address, name: nil, services: [],
        longestWrite: 512, isKnown: true, isConnected: false))
  }

  @Test("A method that the conforming class lacks, and a subclass may have, is reported once when it is due")
  func inherited() throws {
    let (manager, peripheral) = (CBCentralManager(), try peripheral())
    let delegate: any CBCentralManagerDelegate = Sub()
    let lines = linesOfMisuse {
      for _ in 0..<3 { delegate.centralManager(manager, didConnect: peripheral) }
    }
    #expect(lines.count == 1)
    let line = try #require(lines.first)
    #expect(line.contains("centralManager(_:didConnect:)"))
    #expect(line.contains("'Sub'") && line.contains("'Base'"))
  }

  @Test("A class that conforms by itself is not reported")
  func own() throws {
    let (manager, peripheral) = (CBCentralManager(), try peripheral())
    let delegate: any CBCentralManagerDelegate = Base()
    let lines = linesOfMisuse { delegate.centralManager(manager, didConnect: peripheral) }
    #expect(lines.isEmpty)
  }
}
