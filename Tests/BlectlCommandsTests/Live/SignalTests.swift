// SPDX-License-Identifier: MIT
import Testing

@testable import BlectlCommands
@testable import TerminalOutput

@Suite("Pictures of signals")
struct SignalTests {
  @Test(
    "A bar is as long as the signal is strong",
    arguments: [
      (-127, "▏"), (-100, "▏"), (-90, "█"), (-80, "██"), (-75, "██▌"), (-41, "█████▉"), (-40, "██████"),
      (20, "██████"),
    ])
  func bar(rssi: Int, bar: String) {
    #expect(SignalPicture().bar(rssi) == bar)
    #expect(DisplayWidth.of(bar) <= SignalPicture.barWidth)
  }

  @Test("A sparkline has a column for each second, and a hole where nothing was heard")
  func sparkline() {
    #expect(SignalPicture().sparkline([-100, -90, nil, -70, -60, -50, nil, -30]) == "▁▁ ▄▅▇ █")
    #expect(SignalPicture(hasBlocks: false).sparkline([-100, nil, -30]) == ". @")
    #expect(SignalPicture(hasBlocks: false).bar(-70) == "###")
    #expect(SignalPicture().bar(nil).isEmpty)
  }

  @Test("A history keeps the last seconds, the newest at the end")
  func history() {
    var history = SignalHistory()
    #expect(history.strengths(at: 3) == Array(repeating: nil, count: 8))
    history.add(-70, second: 0)
    history.add(-60, second: 0)
    history.add(-50, second: 2)
    #expect(history.strengths(at: 2) == [nil, nil, nil, nil, nil, -60, nil, -50])
    #expect(history.strengths(at: 4) == [nil, nil, nil, -60, nil, -50, nil, nil])
    #expect(history.strengths(at: 1000) == Array(repeating: nil, count: 8))
    history.add(-40, second: 1000)
    #expect(history.strengths(at: 1000).compactMap(\.self) == [-40])
  }

  @Test("What is sorted by moves slowly")
  func steady() {
    var history = SignalHistory()
    history.add(-60, second: 0)
    #expect(history.steady == -60)
    history.add(-68, second: 0)
    #expect(history.steady == -61)
  }
}
