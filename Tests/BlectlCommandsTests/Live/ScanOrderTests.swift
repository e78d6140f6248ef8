// SPDX-License-Identifier: MIT
import BLECentral
import Testing

@testable import BlectlCommands

@Suite("ScanOrder")
struct ScanOrderTests {
  private func rank(
    _ number: UInt8, _ name: String?, _ strength: Int, isHeard: Bool = true, arrival: Int = 0
  ) throws -> ScanOrder.Rank {
    let digits = String(number, radix: 16)
    let address = try #require(BluetoothAddress("C0:00:00:00:00:0\(digits)"))
    return ScanOrder.Rank(
      isHeard: isHeard, strength: strength, name: name, address: address, arrival: arrival)
  }

  @Test("Each order has its sense, and addresses decide where it does not")
  func orders() throws {
    let ranks = [
      try rank(1, "piano", -60, arrival: 2), try rank(2, nil, -40, isHeard: false, arrival: 3),
      try rank(3, "Band", -60, arrival: 0), try rank(4, nil, -50, arrival: 1),
      try rank(5, "PIANO", -80, arrival: 4),
    ]
    func sorted(_ order: ScanOrder) -> [String] {
      ranks.sorted { order.places($0, before: $1) }.map { String("\($0.address)".suffix(1)) }
    }
    #expect(sorted(.signal) == ["4", "1", "3", "5", "2"])
    #expect(sorted(.name) == ["3", "1", "5", "2", "4"])
    #expect(sorted(.address) == ["1", "2", "3", "4", "5"])
    #expect(sorted(.arrival) == ["5", "2", "1", "4", "3"])
    for order in ScanOrder.allCases {
      for first in ranks {
        for other in ranks {
          #expect(!(order.places(first, before: other) && order.places(other, before: first)))
        }
      }
    }
  }
}
