// SPDX-License-Identifier: MIT
internal import Testing

@testable internal import BLECentral

@Suite("WriteWindow")
struct WriteWindowTests {
  @Test("A window grows on a fast link and shrinks on a slow one, within its bounds")
  func size() {
    var window = WriteWindow()
    let first = window.size
    window.confirmed(after: .seconds(1))
    #expect(window.size == first)
    for _ in 0..<20 { window.confirmed(after: .milliseconds(1)) }
    #expect(window.size == 128)
    for _ in 0..<20 { window.confirmed(after: .seconds(20)) }
    #expect(window.size == 4)
  }
}
