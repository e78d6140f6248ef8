// SPDX-License-Identifier: MIT
import Testing

@testable import ValueStreams

@Suite("What is remembered")
struct RecentMemoryTests {
  @Test("The keys that were not written for the longest time are forgotten, and never more than half of them")
  func oldest() {
    var memory = RecentMemory<Int, String>(limit: 8)
    for key in 1...8 { memory[key] = "\(key)" }
    memory[1] = "again"
    memory[9] = "9"
    #expect(memory[1] == "again")
    #expect(memory[9] == "9")
    #expect(memory[2] == nil)
    #expect(Set(memory.keys).isSuperset(of: [7, 8]))
    for key in 10...1000 {
      memory[1] = "\(key)"
      memory[key] = ""
      #expect(memory.keys.count <= 8)
    }
    #expect(memory[1] == "1000")
  }

  @Test("A value that is taken out, or set to nil, is gone; a change keeps the order")
  func taken() {
    var memory = RecentMemory<Int, Int>(limit: 3)
    for key in 1...3 { memory[key] = key }
    #expect(memory.take(2) == 2)
    memory[3] = nil
    #expect(Array(memory.keys) == [1])
    for key in 4...5 { memory[key] = key }
    memory.change { $0 *= 10 }
    memory.keep { $0 != 5 }
    #expect(memory.values.sorted() == [10, 40])
    for key in 6...7 { memory[key] = key }
    #expect(memory[1] == nil)
  }

  @Test("What is worth more is kept before what is more recent, as long as it is no more than half")
  func worth() {
    var memory = RecentMemory<Int, Int>(limit: 8) { $0 }
    memory[0] = 2
    memory[1] = 1
    for key in 2...1000 {
      memory[key] = 0
      #expect(memory[0] == 2)
      #expect(memory[1] == 1)
      #expect(memory.keys.count <= 8)
    }
    for key in 1001...2000 {
      memory[key] = 2
      #expect(memory.keys.count <= 8)
    }
    #expect(memory[0] == nil)
    #expect(memory[2000] == 2)
  }

  @Test("A touch makes a key the most recent one, and its value only once")
  func touched() {
    var memory = RecentMemory<Int, Int>(limit: 4)
    for key in 1...4 { memory[key] = key }
    let known = memory.touch(1) { 10 }
    let made = memory.touch(5) { 50 }
    #expect(known == 1)
    #expect(made == 50)
    #expect(memory[1] == 1)
    #expect(memory[2] == nil)
    #expect(memory[5] == 50)
  }
}
