// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import CoreBluetooth
internal import TestSupport
internal import Testing

/// Processes that end by themselves.
@Suite("Ends of processes with CoreBluetooth", .serialized, .timeLimit(.minutes(2)))
struct EndingTests {
  private static let busVariable = "BLECTL_TEST_BUS"

  /// A delegate that prints each state.
  private final class Printer: NSObject, CBCentralManagerDelegate, Sendable {
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
      FileHandle.standardOutput.write(Data("state \(central.state.rawValue)\n".utf8))
      if central.state == .poweredOn { Thread { exit(0) }.start() }
    }
  }

  @Test("While a process ends, the delegate gets no new state")
  func states() async throws {
    try await withSimulator { bus in
      // Swift 6.2 lets the other process capture nothing.
      setenv(Self.busVariable, bus.address, 1)
      defer { unsetenv(Self.busVariable) }
      let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        let address = try #require(ProcessInfo.processInfo.environment[Self.busVariable])
        let printer = Printer()
        let queue = DispatchQueue(label: "private")
        let manager = CBCentralManager(delegate: printer, queue: queue, options: ["blectl.bus": address])
        while manager.state != .unsupported { try await Task.sleep(for: .seconds(60)) }
      }
      let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
      let states = output.split(separator: "\n").filter { $0.hasPrefix("state ") }
      #expect(states == ["state 5"])
    }
  }

  @Test("A text that is not a UUID ends the program with the text")
  func misuse() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = CBUUID(string: "heart rate")
    }
    let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(errors.contains("heart rate does not represent a valid UUID"))
  }
}
