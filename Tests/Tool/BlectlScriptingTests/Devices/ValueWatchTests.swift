// SPDX-License-Identifier: MIT
import BLECentral
import BlectlSession
import TestSupport
import Testing
import ValueStreams

@testable import BlectlArguments
@testable import BlectlScripting

@Suite("Values that wait for expect")
struct ValueWatchTests {
  @Test("Excess values are forgotten, oldest first, and the error of an expectation says so")
  func forgotten() throws {
    let watch = ValueWatch()
    let value = ReceivedValue([1], at: .now)
    watch.add(Array(repeating: value, count: ValueWatch.capacity))
    #expect(watch.forgottenCount == 0)
    watch.add([value, value, value])
    #expect(watch.forgottenCount == 3)
    let characteristic = SampleStream.characteristic()
    let expectation = Expectation(
      try ValuePattern(["02"], for: nil), from: .uuid(.whole(characteristic.uuid)))
    let error = expectation.unmet(
      by: characteristic, nil, last: [value], count: (10_003, 0), forgotten: 3, within: nil)
    #expect(error.message.hasSuffix("10003 other values came, the last 01"))
    #expect(error.details == ["the first 3 were not looked at: at most 10000 values wait for expect"])
  }
}
