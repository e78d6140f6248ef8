// SPDX-License-Identifier: MIT
import Testing

@testable import WebServer

@Suite("RecordRing")
struct RecordRingTests {
  private func line(_ number: Int) -> [UInt8] { Array("record \(number)".utf8) }

  @Test("A reader gets each record once, with its number, however much it takes at a time")
  func order() {
    var ring = RecordRing(capacity: 1 << 20)
    for number in 1...5000 { ring.append(line(number)) }
    var place = 0
    var seen: [Int] = []
    while true {
      let part = ring.part(after: place, limit: 100)
      #expect(part.missed == 0)
      guard let last = part.records.last else { break }
      for (number, text) in part.records {
        #expect(text == line(number))
        seen.append(number)
      }
      place = last.number
    }
    #expect(seen == Array(1...5000))
  }

  @Test("A reader that is too slow is told how many records it missed, and the memory is bounded")
  func missed() {
    var ring = RecordRing(capacity: 10_000)
    for number in 1...100_000 { ring.append(line(number)) }
    let part = ring.part(after: 10, limit: .max)
    #expect(part.records.count < 200)
    #expect(part.records.count > 50)
    #expect(part.missed + 10 + part.records.count == 100_000)
    #expect(part.records.last?.number == 100_000)
    #expect(part.records.first?.number == 10 + part.missed + 1)
  }

  @Test("A record that is larger than all of the memory is kept until the next one")
  func large() {
    var ring = RecordRing(capacity: 100)
    ring.append([UInt8](repeating: 1, count: 1000))
    #expect(ring.part(after: 0, limit: 10).records.count == 1)
    ring.append([2])
    #expect(ring.part(after: 0, limit: 10).records.map(\.line) == [[2]])
    #expect(ring.part(after: 0, limit: 10).missed == 1)
  }

  @Test("A place that does not exist yet is that of the newest record")
  func future() {
    var ring = RecordRing(capacity: 100)
    ring.append([1])
    #expect(ring.part(after: 77, limit: 10).records.isEmpty)
    #expect(ring.part(after: -5, limit: 10).records.count == 1)
  }
}
