// SPDX-License-Identifier: MIT
package import BLEFormats

/// The serial port of a peripheral: the service that carries its bytes, and what it sends.
package struct SerialPortSpec: Sendable, Equatable {
  /// The answer to a received line.
  package struct Answer: Sendable, Equatable {
    /// The line without its end, at most ``SerialPortSpec/longestLine`` bytes.
    package var line: String
    package var text: String

    package init(_ line: String, _ text: String) { (self.line, self.text) = (line, text) }
  }

  /// The most bytes of a line that has an answer.
  package static let longestLine = 512
  /// The services that a peripheral may have: those in which no side waits for credits.
  package static let services = SerialService.all.filter { $0.credits == nil }

  package var service: SerialService
  /// True if it sends back what it receives; nil: unless it answers lines.
  package var echo: Bool?
  /// The text that a central gets when it subscribes.
  package var greeting: String
  package var answers: [Answer]
  /// The answer to a line without an answer of its own.
  package var otherAnswer: String

  package init(
    _ service: SerialService = .nordic, echo: Bool? = nil, greeting: String = "", answers: [Answer] = [],
    otherAnswer: String = ""
  ) {
    (self.service, self.echo, self.greeting) = (service, echo, greeting)
    (self.answers, self.otherAnswer) = (answers, otherAnswer)
  }

  /// True if it answers lines.
  package var answersLines: Bool { !answers.isEmpty || !otherAnswer.isEmpty }
  package var echoes: Bool { echo ?? !answersLines }

  /// The service with its characteristics; both directions may have one.
  package var attributes: ServiceSpec {
    let written: GATTProperties = [.write, .writeWithoutResponse]
    guard service.rx != service.tx else {
      return ServiceSpec(service.uuid, [CharacteristicSpec(service.rx, written.union(.notify), value: [])])
    }
    return ServiceSpec(
      service.uuid,
      [
        CharacteristicSpec(service.rx, written, value: []),
        CharacteristicSpec(service.tx, .notify, value: []),
      ])
  }
}
