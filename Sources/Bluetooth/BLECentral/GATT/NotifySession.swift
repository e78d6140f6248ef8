// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient

/// The manager's subscription to a characteristic, shared by its readers; confined to the manager and its
/// loop.
///
/// BlueZ signals each value once for every bus connection that subscribes: one session avoids duplicates.
final class NotifySession {
  private unowned let core: CentralCore
  let transport: NotificationTransport
  private let path: String
  /// True if StartNotify succeeded, so that this session must call StopNotify.
  var isStarted = false
  private var filter: EchoFilter<ReceivedValue>
  private var readers: [BatchSource<ReceivedValue>] = []
  private var socket: PacketSource?
  /// The time of the last data from the socket, which may be after the loss of the link.
  private var lastRead: Moment?

  init(path: String, transport: NotificationTransport, core: CentralCore, readsUnderWay: Int = 0) {
    self.path = path
    self.transport = transport
    self.core = core
    filter = EchoFilter(reads: readsUnderWay)
  }

  var isUnused: Bool { readers.isEmpty }

  func add(_ reader: BatchSource<ReceivedValue>) { readers.append(reader) }

  func remove(_ reader: BatchSource<ReceivedValue>) { readers.removeAll { $0 === reader } }

  // MARK: Values

  func signalled(_ bytes: [UInt8]) {
    guard transport == .signal else { return }
    if let value = filter.signalled(ReceivedValue(bytes, at: .now)) {
      deliver(CollectionOfOne(value))
    }
  }

  func readBegan() { filter.readBegan() }

  func readEnded(isSuccess: Bool) {
    if let value = filter.readEnded(isSuccess: isSuccess) { deliver(CollectionOfOne(value)) }
  }

  private func deliver(_ values: some Collection<ReceivedValue>) {
    for reader in readers { reader.send(contentsOf: values) }
  }

  // MARK: The socket

  func read(from socket: PacketSource) { self.socket = socket }

  var hasSocket: Bool { socket != nil }

  /// True if the device has confirmed the subscription.
  var isRunning: Bool { isStarted || hasSocket }

  func received(_ packets: [[UInt8]]) {
    let moment = Moment()
    lastRead = moment
    deliver(packets.map { ReceivedValue($0, at: moment.time) })
  }

  private func closeSocket() {
    socket?.close()
    socket = nil
  }

  // MARK: The end

  /// Ends only what this session began in BlueZ.
  ///
  /// StopNotify would close another program's socket, and crash an old bluetoothd whose socket is stuck.
  func stop() {
    closeSocket()
    stopSignals()
  }

  /// Does the same, but leaves the socket, which may still contain values.
  func stopSignals() {
    guard isStarted else { return }
    isStarted = false
    core.sessions.attributes[path]?.postStopNotify()
  }

  /// Ends the readers' sequences, since the moment when no more values could come.
  func end(_ error: BLEError, at moment: Moment = Moment()) {
    closeSocket()
    let moment = lastRead.map { max($0, moment) } ?? moment
    for reader in readers { reader.end(error, at: moment) }
  }

  /// Ends the readers' sequences when the reason is known: the adapter is off, bluetoothd or only the link
  /// ended.
  ///
  /// Until then, the values in the socket are read.
  func endLater(because reason: BLEError?, of device: String) {
    let moment = Moment()
    if let reason {
      _ = core.loop.schedule(at: LoopClock.now + DeviceSession.reasonTime) { self.end(reason, at: moment) }
    } else {
      core.whenReasonIsKnown { self.end(self.reasonOfStop(of: device), at: moment) }
    }
  }

  private func reasonOfStop(of device: String) -> BLEError {
    do throws(BLEError) {
      _ = try core.poweredAdapter(for: .receiveNotifications)
      return core.sessions.device(device).loss(during: .receiveNotifications)
    } catch {
      return error
    }
  }
}
