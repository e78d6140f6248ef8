// SPDX-License-Identifier: MIT
internal import DBus

/// An object that a client has registered: an application, an advertisement or a profile.
struct ClientObject: Hashable {
  /// The bus name of the client.
  let client: String
  /// Where the client exports it.
  let path: String

  init(_ client: String, _ path: String) {
    self.client = client
    self.path = path
  }

  /// The object that a call registers or unregisters.
  init(namedBy call: MethodCall) {
    client = call.sender
    path = call.argument(0)?.text ?? ""
  }

  /// The request for its objects.
  var objectsRequest: Message {
    Message(call: "GetManagedObjects", of: StandardInterface.objectManager, at: path, to: client)
  }
}
