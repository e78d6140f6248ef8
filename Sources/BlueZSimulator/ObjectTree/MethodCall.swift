// SPDX-License-Identifier: MIT
internal import DBus

/// A method call, to be answered once.
final class MethodCall {
  let message: Message
  private let tree: ObjectTree
  private var isAnswered = false

  init(_ message: Message, on tree: ObjectTree) {
    self.message = message
    self.tree = tree
  }

  /// The bus name of the caller.
  var sender: String { message.sender ?? "" }
  private(set) lazy var arguments: [DBusValue] = message.values

  func argument(_ index: Int) -> DBusValue? { index < arguments.count ? arguments[index] : nil }

  func reply(_ body: (inout MessageWriter) -> Void = { _ in }) {
    answer { Message(replyTo: message, body) }
  }

  func fail(_ error: BlueZError) {
    answer { Message(errorTo: message, name: error.name, text: error.text) }
  }

  private func answer(_ make: () -> Message) {
    guard !isAnswered else { return }
    isAnswered = true
    guard message.wantsReply else { return }
    tree.send(make())
  }
}
