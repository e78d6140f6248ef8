// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

/// A characteristic or a descriptor that is published: its value and its readers.
///
/// Confined to the manager, and to the thread of its loop.
final class ServedAttribute {
  /// How many values may be sent before the loop serves others.
  static let valuesPerTurn = 256

  let path: String
  /// Its place among those of its publication.
  let number: Int
  let uuid: BluetoothUUID
  /// The UUID of its service.
  let service: BluetoothUUID
  /// The UUID of the characteristic that has it; nil for a characteristic.
  let owner: BluetoothUUID?
  let reading: ReadHandler
  let writing: WriteHandler
  /// The value in memory.
  var value: [UInt8] {
    get { memory.bytes }
    set { memory.set(newValue) }
  }
  private let memory: ValueMemory
  /// The whole values of long reads that are under way, by the path of the central.
  var longReads: [String: LongRead] = [:]
  /// The handle that BlueZ has chosen.
  var handle: UInt16?
  /// How updates reach bluetoothd.
  let transport: UpdateTransport
  /// The centrals that have subscribed.
  var subscribers = Subscribers() {
    didSet { findSoleSocket() }
  }
  /// The sockets that bluetoothd has acquired, by the path of the central.
  var sockets: [String: UpdateSocket] = [:] {
    didSet { findSoleSocket() }
  }
  /// The one that reaches everybody; looking it up for each value would cost more than sending it.
  private var soleSocket: UpdateSocket?
  /// Whether it is watched whether bluetoothd takes what the sockets hold.
  var isDraining = false
  /// Whether it is decided soon who is still subscribed.
  var isSettling = false
  /// How many values were sent since the loop has served others.
  private var valuesInTurn = 0
  /// The updates on their way to bluetoothd.
  let window: UpdateWindow

  private var template: SignalTemplate?
  private var lastCount: Int?

  init(_ characteristic: LocalCharacteristic, of service: BluetoothUUID, path: String, number: Int) {
    self.path = path
    self.number = number
    self.service = service
    uuid = characteristic.uuid
    owner = nil
    reading = characteristic.reading
    writing = characteristic.writing
    memory = ValueMemory(characteristic.value)
    handle = characteristic.handle
    transport = characteristic.updateTransport
    let isIndicated =
      characteristic.properties.contains(.indicate) && !characteristic.properties.contains(.notify)
    window = UpdateWindow(isConfirmed: isIndicated)
  }

  init(
    _ descriptor: LocalDescriptor, of characteristic: BluetoothUUID, in service: BluetoothUUID, path: String,
    number: Int
  ) {
    self.path = path
    self.number = number
    self.service = service
    uuid = descriptor.uuid
    owner = characteristic
    reading = descriptor.reading
    writing = descriptor.writing
    memory = ValueMemory(descriptor.value)
    transport = .signals
    window = UpdateWindow(isConfirmed: false)
  }

  /// Whether a central has subscribed.
  var isSubscribed: Bool { !subscribers.isEmpty }

  /// The socket for a value; nil when it has to be a signal.
  func socket(for value: [UInt8]) -> UpdateSocket? { value.isEmpty ? nil : soleSocket }

  private func findSoleSocket() { soleSocket = subscribers.sole.flatMap { sockets[$0] } }

  // MARK: Sending over sockets

  /// Begins a turn of the loop.
  func beginTurn() { valuesInTurn = 0 }

  /// Whether another value may be sent in this turn; counts it.
  func takeTurn() -> Bool {
    guard valuesInTurn < ServedAttribute.valuesPerTurn else { return false }
    valuesInTurn += 1
    return true
  }

  /// Sets the value, and sends it over the socket that reaches everybody, unless anything is in the way.
  ///
  /// - Returns: whether it was sent; if not, the manager knows what to do.
  func sendAtOnce(_ value: [UInt8]) -> Bool {
    guard value.count <= LocalCharacteristic.maximumLength, let socket = socket(for: value),
      window.inFlight == 0, socket.send(value) == .sent
    else { return false }
    memory.set(value)
    return true
  }

  /// Whether bluetoothd has taken everything from the sockets.
  var areSocketsDrained: Bool { sockets.values.allSatisfy(\.isDrained) }

  /// The signal for a value.
  ///
  /// Of values of the same length, it is marshalled once.
  func signal(of value: [UInt8]) -> Message {
    if template?.count != value.count {
      template = value.count == lastCount ? SignalTemplate(count: value.count, makeSignal) : nil
      lastCount = value.count
    }
    return template?.signal(with: value) ?? makeSignal(of: value)
  }

  private func makeSignal(of value: [UInt8]) -> Message {
    Message(signal: "PropertiesChanged", of: StandardInterface.properties, at: path) { writer in
      writer.string(BlueZ.gattCharacteristic)
      writer.properties([("Value", .bytes(value))])
      writer.value(.strings([]))
    }
  }

  /// A request for it.
  func access(by central: Central, at offset: Int, _ value: [UInt8]) -> AnsweredRequest {
    AnsweredRequest(
      central: central, service: service, characteristic: owner ?? uuid,
      descriptor: owner == nil ? nil : uuid, handle: handle, offset: offset, value: value)
  }

  /// BlueZ has no subscription of it any more, and answers nothing that was sent.
  func reset() {
    longReads = [:]
    subscribers = Subscribers()
    for socket in sockets.values { socket.close() }
    sockets = [:]
    window.reset()
  }
}
