// SPDX-License-Identifier: MIT
import Testing

@testable import BLEPeripheral

@Suite("Long reads")
struct LongReadTests {
  @Test("The next part of a value comes from the value that was read, for 30 s")
  func time() {
    let now = ContinuousClock.now
    let read = LongRead([1, 2, 3], at: now)
    #expect(read.value(at: now + .milliseconds(29_999)) == [1, 2, 3])
    #expect(read.value(at: now + .seconds(30)) == nil)
  }
}
