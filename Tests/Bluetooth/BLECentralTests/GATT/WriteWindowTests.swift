// SPDX-License-Identifier: MIT
internal import Testing

@testable internal import BLECentral

@Suite("WriteWindow")
struct WriteWindowTests {
  @Test("A window grows on a fast link and shrinks on a slow one, within its bounds")
  func size() {
    var window = WriteWindow()
    let first = window.size
    window.confirmed(first, after: .seconds(1))
    #expect(window.size == first)
    for _ in 0..<20 { window.confirmed(window.size, after: .milliseconds(1)) }
    #expect(window.size == 128)
    for _ in 0..<20 { window.confirmed(1, after: .seconds(20)) }
    #expect(window.size == 4)
  }

  @Test("Less than half a window does not let it grow: it shows nothing about a longer one")
  func partial() {
    var window = WriteWindow()
    let first = window.size
    for _ in 0..<20 { window.confirmed(first / 2 - 1, after: .milliseconds(1)) }
    #expect(window.size == first)
  }
}
