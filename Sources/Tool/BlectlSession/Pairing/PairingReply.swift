// SPDX-License-Identifier: MIT
internal import BLECentral
internal import JSON

/// A line of standard input that answers a pairing question: plain text, or an object naming the question.
struct PairingReply {
  /// The reason why a line does not answer a question.
  ///
  /// It never contains the answer, which may be secret.
  enum Problem: Error {
    case malformed
    case otherQuestion(Int)
    case otherDevice(BluetoothAddress)
    /// It may have been written for a question that was withdrawn.
    case mayBeLate
  }

  /// Nil in plain text.
  private let subject: (question: Int, address: BluetoothAddress)?
  private let text: String

  init(line: String) throws(Problem) {
    guard line.hasPrefix("{") else {
      (subject, text) = (nil, line)
      return
    }
    guard let object = try? JSONReader.read(line.utf8), let question = object["question"]?.integer,
      let address = object["address"]?.string.flatMap({ BluetoothAddress($0) }),
      let answer = object["answer"]?.string
    else { throw .malformed }
    (subject, text) = ((question, address), answer)
  }

  /// The answer to a question; `takesPlainText` if an answer need not name the question.
  func text(
    answering question: Int, about address: BluetoothAddress, takesPlainText: Bool
  ) throws(Problem) -> String {
    guard let subject else {
      if takesPlainText { return text }
      throw .mayBeLate
    }
    if subject.question != question { throw .otherQuestion(subject.question) }
    if subject.address != address { throw .otherDevice(subject.address) }
    return text
  }
}
