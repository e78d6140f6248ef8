// SPDX-License-Identifier: MIT
internal import DBus

/// An object that a client has told BlueZ of: an application, an advertisement, a profile.
struct ClientObject: Hashable {
  /// The bus name of the client.
  let client: String
  /// Where the client exports it.
  let path: String

  /// The object that a call to register it, or to take it back, names.
  init(namedBy call: MethodCall) {
    client = call.sender
    path = call.argument(0)?.text ?? ""
  }

  /// The question which objects there are below it.
  var question: Message {
    Message(call: "GetManagedObjects", of: StandardInterface.objectManager, at: path, to: client)
  }
}
