// SPDX-License-Identifier: MIT
internal import BLECentral

extension ProxyConnection {
  /// Does what a message asks for.
  ///
  /// What the proxy does not serve is ignored: clients ask devices of all kinds.
  func take(_ message: ClientMessage) {
    switch message {
    case .hello(let name, let version):
      guard greeted(by: name, version) else { return }
      let identity = server.identity
      return send(
        .hello(ProxyIdentity.api, serverInfo: "blectl \(identity.version)", name: identity.name.text))
    case .ping: return send(.pong)
    case .pong: return
    case .disconnect:
      send(.disconnected)
      return end("the client left")
    case .disconnected: return end("the client left")
    // Old clients send it together with their greeting.
    case .authentication: return send(.authentication)
    default: break
    }
    // Nothing else before the greeting, which counts the client.
    if client.name != nil { serve(message) }
  }

  private func serve(_ message: ClientMessage) {
    let links = server.links
    switch message {
    case .deviceInfo: send(.deviceInfo(server.identity.deviceInfo(isEncrypted: server.key != nil)))
    case .capabilities:
      send(.capabilities(server.identity.features, bluetoothAddress: server.identity.address))
    case .listEntities: send(.listEntitiesDone)
    case .setKey: send(.keySet(isDone: false))
    case .subscribeAdvertisements(let isRaw):
      wantsAdvertisements = isRaw
      sendScannerState()
    case .unsubscribeAdvertisements: wantsAdvertisements = false
    case .setScannerMode: sendScannerState()
    case .subscribeConnectionsFree:
      wantsSlots = true
      send(links.slots)
    case .device(let address, let request, _): links.take(request, address, from: self)
    case .services(let address): links.sendServices(of: address, to: self)
    case .read(let attribute), .readDescriptor(let attribute), .write(let attribute, _, _),
      .writeDescriptor(let attribute, _), .notify(let attribute, _):
      links.take(message, attribute, from: self)
    case .setConnectionParameters(let address, _):
      // BlueZ has no call for them, and the proxy does not claim to.
      let isUp = links.isUp(address, for: self)
      send(
        .connectionParameters(
          address, error: isUp ? Int32(ATTError.requestNotSupported.code) : LinkFailure.notConnected))
    case .impossible(let request): send(.impossible(request))
    case .hello, .authentication, .disconnect, .disconnected, .ping, .pong, .unknown: break
    }
  }
}
