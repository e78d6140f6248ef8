// SPDX-License-Identifier: MIT
internal import AsyncIO

/// A client of a proxy, from its first byte to its last; confined to the loop's thread.
final class ProxyConnection {
  unowned let server: ProxyServer
  private let stream: SocketStream
  private var transport: ProxyTransport
  private(set) var client: ProxyClient
  /// The version of the API that the client knows.
  private(set) var version = APIVersion(major: 1, minor: 0)
  var wantsAdvertisements = false
  var wantsSlots = false
  /// The number of advertisements that the client did not get.
  private var dropped = 0
  private var silences = 0
  private var timer: TimerID?
  private var isOver = false

  init(_ stream: SocketStream, from host: String?, of server: ProxyServer, isTurnedAway: Bool) {
    (self.stream, self.server) = (stream, server)
    client = ProxyClient(host: host)
    let identity = server.identity
    let security: ProxyTransport.Security =
      server.key.map { .noise($0, name: identity.name, address: identity.address) } ?? .plaintext
    transport = ProxyTransport(security, isTurningAway: isTurnedAway)
  }

  func start() {
    stream.start { [weak self] bytes in
      self?.received(bytes)
    } ended: { [weak self] isBroken in
      self?.end(isBroken ? "the connection broke" : "the client closed the connection")
    }
    schedule(after: server.limits.greetingTime) { [weak self] in self?.refuse("it did not greet") }
  }

  // MARK: Receiving

  private func received(_ bytes: [UInt8]) {
    silences = 0
    for event in transport.received(bytes) {
      if isOver { return }
      switch event {
      case .send(let bytes): stream.send(bytes)
      case .established: break
      case .message(let message): take(message)
      // Newer clients may send what we do not understand.
      case .malformed: break
      case .refused(let refusal, let farewell):
        if refusal == .wrongKey { server.hasWrongKey(self) }
        stream.send(farewell)
        refuse("\(refusal)")
      }
    }
  }

  /// The longest name in records, in code points: one of 32 KB would be in each of them.
  private static let longestName = 100

  /// Makes it a client that has said who it is; returns false if there are too many.
  func greeted(by text: String, _ version: APIVersion) -> Bool {
    self.version = version
    guard client.name == nil else { return true }
    let name = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.longestName)))
    guard server.hasRoom else {
      refuse(
        "there are \(server.limits.clients) clients already", as: ProxyClient(host: client.host, name: name))
      return false
    }
    client.name = name
    server.tell(.joined(client))
    listenForSilence()
    return true
  }

  private func listenForSilence() {
    schedule(after: server.limits.silence) { [weak self] in
      guard let self else { return }
      silences += 1
      if silences >= 5 { return end("it does not answer") }
      if silences == 2 { send(.ping) }
      listenForSilence()
    }
  }

  private func schedule(after time: Duration, _ body: @escaping () -> Void) {
    if let timer { server.loop.cancel(timer) }
    timer = server.loop.schedule(at: LoopClock.now + time, body)
  }

  // MARK: Sending

  /// Sends a message when the client reads; one that does not is closed.
  ///
  /// `encoded` is the same message, for one that goes to several clients.
  func send(_ message: ServerMessage, as encoded: ServerMessage.Encoded? = nil) {
    guard !isOver else { return }
    if case .advertisements(let advertisements) = message,
      stream.waitingCount > server.limits.bytesWithAdvertisements
    {
      dropped += advertisements.count
      return
    }
    guard let bytes = transport.frame(encoded ?? message.encoded) else { return }
    guard stream.waitingCount + bytes.count <= server.limits.bytes else { return end("it does not read") }
    stream.send(bytes)
  }

  func sendScannerState() {
    // BlueZ always asks for scan responses.
    send(.scannerState(server.scannerState, mode: .active, configured: .active))
  }

  // MARK: The end

  /// Turns away what is not a client yet; ends a client.
  func refuse(_ reason: String, as stranger: ProxyClient? = nil) {
    guard !isOver else { return }
    guard client.name == nil else { return end(reason) }
    close()
    server.tell(.clientRefused(stranger ?? client, reason: reason))
    server.ended(self)
  }

  /// Ends the connection after the messages that wait.
  func end(_ reason: String) {
    guard !isOver else { return }
    close()
    // A program that looks whether the port is open says nothing.
    if client.name != nil { server.tell(.left(client, reason: reason, dropped: dropped)) }
    server.ended(self)
  }

  /// Ends the connection because the proxy ends.
  func leave() {
    send(.disconnect)
    end("the proxy ends")
  }

  private func close() {
    isOver = true
    if let timer { server.loop.cancel(timer) }
    stream.end(within: server.limits.farewellTime)
  }
}
