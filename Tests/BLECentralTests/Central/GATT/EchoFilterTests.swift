// SPDX-License-Identifier: MIT
import Testing

@testable import BLECentral

@Suite("EchoFilter")
struct EchoFilterTests {
  /// What can be seen of one characteristic, one read at a time: BlueZ sends the echo directly before the reply.
  enum Step: CaseIterable {
    case notification, readBegins, readSucceeds, readFails
  }

  /// Every course of at most `length` steps that can happen.
  private static func courses(length: Int) -> [[Step]] {
    var courses: [[Step]] = []
    func extend(_ course: [Step], isReading: Bool) {
      courses.append(course)
      guard course.count < length else { return }
      for step in Step.allCases {
        switch step {
        case .notification: extend(course + [step], isReading: isReading)
        case .readBegins: if !isReading { extend(course + [step], isReading: true) }
        case .readSucceeds, .readFails: if isReading { extend(course + [step], isReading: false) }
        }
      }
    }
    extend([], isReading: false)
    return courses
  }

  @Test(
    "in every course of reads and notifications, the notifications come through, in order, and no echo does")
  func everyCourse() {
    let courses = Self.courses(length: 9)
    #expect(courses.count > 1000)
    for course in courses {
      var filter = EchoFilter<String>()
      var sent: [String] = []
      var delivered: [String] = []
      var isReading = false
      for (number, step) in course.enumerated() {
        switch step {
        case .notification:
          sent.append("\(number)")
          if let value = filter.signalled("\(number)") { delivered.append(value) }
        case .readBegins:
          filter.readBegan()
          isReading = true
        case .readSucceeds:
          if let value = filter.signalled("echo") { delivered.append(value) }
          if let value = filter.readEnded(isSuccess: true) { delivered.append(value) }
          isReading = false
        case .readFails:
          if let value = filter.readEnded(isSuccess: false) { delivered.append(value) }
          isReading = false
        }
        // Nothing is held back unless a read is under way, and then only the newest.
        #expect(delivered == sent || (isReading && delivered == sent.dropLast()), "\(course)")
      }
    }
  }

  @Test("an echo with the same bytes as a notification takes the place of neither")
  func sameBytes() {
    var filter = EchoFilter<[UInt8]>()
    filter.readBegan()
    #expect(filter.signalled([1]) == nil)
    #expect(filter.signalled([1]) == [1])
    #expect(filter.readEnded(isSuccess: true) == nil)
    #expect(filter.signalled([1]) == [1])
  }
}
