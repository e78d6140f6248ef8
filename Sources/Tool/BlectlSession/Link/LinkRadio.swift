// SPDX-License-Identifier: MIT
package import AsyncIO
package import BLECentral
internal import Glibc

/// The controller under a link: what the kernel and the controller tell of it; used only by tasks on the loop.
package final class LinkRadio {
  private enum Command {
    static let readTransmitPower: UInt16 = 0x0c2d
    static let readRSSI: UInt16 = 0x1405
    static let updateConnection: UInt16 = 0x2013
    static let readPHY: UInt16 = 0x2030
    static let setPHY: UInt16 = 0x2032
  }

  /// The answer to a command, or the event that says what became of it.
  private struct Wait {
    let isOver: (ControllerEvent) -> Bool
    let promise: Promise<ControllerEvent?>
  }

  private static let unknownCommand: UInt8 = 0x01
  private static let packetOfCommand: UInt8 = 0x01
  private static let limit = Duration.seconds(2)

  private let number: UInt16
  private let loop: EventLoop
  private var socket: BluetoothSocket?
  private var waits: [Wait] = []
  /// The parameters of the links that were seen to open or change, by handle.
  private var parameters: [UInt16: LinkParameters] = [:]
  private var opened: [UInt16: Timestamp] = [:]

  /// Opens the controller of an adapter, unless that belongs to another machine.
  package init(_ adapter: Adapter, on loop: EventLoop) throws(RadioFailure) {
    (number, self.loop) = (try BluetoothSocket.controller(of: adapter, on: loop), loop)
    do throws(ErrorNumber) {
      let received = loop.confined { [weak self] (packets: [[UInt8]]) in
        for packet in packets { if let event = ControllerEvent(packet) { self?.take(event) } }
      }
      socket = try BluetoothSocket(.controller(number), on: loop, received: received)
    } catch {
      throw RadioFailure(opening: error)
    }
  }

  /// Opens the controller of the adapter of a command.
  package convenience init(under adapter: Adapter, in context: CommandContext) throws(RadioFailure) {
    let isElsewhere = (try? !context.options.wantedHosts().isEmpty) ?? true
    if context.options.simulate || isElsewhere { throw .elsewhere }
    try self.init(adapter, on: context.loop)
  }

  package func close() {
    socket?.close()
    socket = nil
  }

  // MARK: What is known

  /// The link to a device.
  package func link(to address: BluetoothAddress) throws(RadioFailure) -> BluetoothSocket.Link {
    do throws(ErrorNumber) {
      let links = try socket?.links(of: number) ?? []
      if let link = links.first(where: { BluetoothAddress(bytes: $0.address) == address }) { return link }
    } catch {
      throw .system(error.description)
    }
    throw .noLink
  }

  /// The parameters of a link; nil if it was not seen to open or to change.
  package func parameters(of link: BluetoothSocket.Link) -> LinkParameters? { parameters[link.handle] }

  /// Returns the time when the link was seen to open.
  package func time(of link: BluetoothSocket.Link) -> Timestamp? { opened[link.handle] }

  /// The signal strength in dBm.
  package func rssi(of link: BluetoothSocket.Link) async throws(RadioFailure) -> Int? {
    let answer = try await command(Command.readRSSI, about: link)
    // 127: unknown.
    return answer.first.map { Int(Int8(bitPattern: $0)) }.flatMap { $0 == 127 ? nil : $0 }
  }

  /// The current transmit power in dBm.
  package func transmitPower(of link: BluetoothSocket.Link) async throws(RadioFailure) -> Int? {
    try await command(Command.readTransmitPower, about: link, [0]).first.map { Int(Int8(bitPattern: $0)) }
  }

  package func phys(of link: BluetoothSocket.Link) async throws(RadioFailure) -> (tx: LinkPHY, rx: LinkPHY)? {
    let answer = try await command(Command.readPHY, about: link)
    guard answer.count >= 2, let tx = LinkPHY(number: answer[0]), let rx = LinkPHY(number: answer[1]) else {
      return nil
    }
    return (tx, rx)
  }

  // MARK: Setting

  /// Asks for other parameters, and waits for what the device makes of it.
  package func set(
    _ wanted: LinkParameters, of link: BluetoothSocket.Link, timeout: Duration?
  ) async throws(RadioFailure) {
    let body =
      wanted.interval.littleEndianBytes + wanted.interval.littleEndianBytes
      + wanted.latency.littleEndianBytes + wanted.timeout.littleEndianBytes + [0, 0, 0, 0]
    try await request(Command.updateConnection, about: link, body, timeout: timeout) { event in
      guard case .updated(link.handle, let status, _) = event else { return nil }
      return status
    }
  }

  /// Asks for a PHY in both directions, and waits for what the device makes of it.
  package func set(
    _ wanted: LinkPHY, of link: BluetoothSocket.Link, timeout: Duration?
  ) async throws(RadioFailure) {
    try await request(
      Command.setPHY, about: link, [0, wanted.bit, wanted.bit, 0, 0], timeout: timeout
    ) { event in
      guard case .phys(link.handle, let status, _, _) = event else { return nil }
      return status
    }
  }

  // MARK: Commands

  /// Sends a command that is answered at once, and returns what follows the status and the handle.
  private func command(
    _ opcode: UInt16, about link: BluetoothSocket.Link, _ body: [UInt8] = []
  ) async throws(RadioFailure) -> [UInt8] {
    let handle = link.handle.littleEndianBytes
    let event = try await answer(to: opcode, handle + body, within: Self.limit) { event in
      switch event {
      // Other programs ask about other links; a controller that fails may leave out the handle.
      case .completed(opcode, let bytes):
        bytes.first != 0 || bytes.count < 3 || bytes.dropFirst().starts(with: handle)
      case .accepted(opcode, let status): status != 0
      default: false
      }
    }
    switch event {
    case .completed(_, let bytes) where bytes.first == 0: return Array(bytes.dropFirst(3))
    case .completed(_, let bytes): throw Self.failure(bytes.first)
    case .accepted(_, let status): throw Self.failure(status)
    default: throw .silent
    }
  }

  /// Sends a command whose outcome is an event of its own.
  private func request(
    _ opcode: UInt16, about link: BluetoothSocket.Link, _ body: [UInt8], timeout: Duration?,
    _ outcome: @escaping (ControllerEvent) -> UInt8?
  ) async throws(RadioFailure) {
    let event = try await answer(
      to: opcode, link.handle.littleEndianBytes + body, within: timeout ?? .seconds(60)
    ) { event in
      if case .accepted(opcode, let status) = event { return status != 0 }
      if case .closed(link.handle) = event { return true }
      return outcome(event) != nil
    }
    if case .accepted(_, let status) = event { throw Self.failure(status) }
    if case .closed = event { throw .noLink }
    if let status = outcome(event), status != 0 { throw Self.failure(status) }
  }

  private func answer(
    to opcode: UInt16, _ body: [UInt8], within limit: Duration,
    _ isOver: @escaping (ControllerEvent) -> Bool
  ) async throws(RadioFailure) -> ControllerEvent {
    let promise = Promise<ControllerEvent?>()
    waits.append(Wait(isOver: isOver, promise: promise))
    defer { waits.removeAll { $0.promise === promise } }
    do throws(ErrorNumber) {
      try socket?.send([Self.packetOfCommand] + opcode.littleEndianBytes + [UInt8(body.count)] + body)
    } catch {
      throw error.code == EPERM ? .capability(.raw) : .system(error.description)
    }
    let event = await promise.value(until: LoopClock.now + limit, on: loop, ifLate: nil, ifCancelled: nil)
    guard let event else { throw .silent }
    return event
  }

  private static func failure(_ status: UInt8?) -> RadioFailure {
    switch status {
    case nil: .silent
    case unknownCommand: .unsupported
    case let code?: .refused(code)
    }
  }

  private func take(_ event: ControllerEvent) {
    switch event {
    case .opened(let handle, let new):
      parameters[handle] = new
      opened[handle] = .now
    case .updated(let handle, 0, let new): parameters[handle] = new
    case .closed(let handle):
      parameters[handle] = nil
      opened[handle] = nil
    default: break
    }
    // Each is resumed by its own event.
    for wait in waits where wait.isOver(event) { wait.promise.fulfil(event) }
  }
}
