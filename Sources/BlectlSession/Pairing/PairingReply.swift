// SPDX-License-Identifier: MIT
internal import BLECentral
internal import JSON

/// A line of standard input that answers a question of a pairing: a plain text, or an object that names the question.
struct PairingReply {
  /// Why a line does not answer a question.
  ///
  /// It never contains the answer, which may be secret.
  enum Problem: Error {
    case malformed
    case otherQuestion(Int)
    case otherDevice(BluetoothAddress)
    /// It may have been written for a question that was withdrawn.
    case mayBeLate
  }

  /// The question and the device that it names; nil in a plain text.
  private let subject: (question: Int, address: BluetoothAddress)?
  private let text: String

  /// Reads a line.
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

  /// The answer to a question.
  ///
  /// - Parameters:
  ///   - question: its number.
  ///   - address: the device that it is about.
  ///   - takesPlainText: whether an answer need not name the question.
  /// - Returns: the text of the answer.
  /// - Throws: why this is no answer to it.
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
