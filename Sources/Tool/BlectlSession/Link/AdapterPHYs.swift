// SPDX-License-Identifier: MIT
package import AsyncIO
package import BLECentral
internal import Glibc

/// The PHYs of an adapter, in the kernel's management interface; used only by tasks on the loop.
package final class AdapterPHYs {
  /// The PHYs that a controller can use, and those that the kernel lets it use.
  package struct Choice: Sendable, Hashable {
    fileprivate let supportedBits: UInt32
    fileprivate let configurableBits: UInt32
    fileprivate let selectedBits: UInt32

    /// Parses the answer of the kernel; nil for a short one.
    package init?(_ bytes: [UInt8]) {
      var reader = ByteReader(bytes)
      guard let supported = reader.unsigned(4), let configurable = reader.unsigned(4),
        let selected = reader.unsigned(4)
      else { return nil }
      (supportedBits, configurableBits, selectedBits) = (
        UInt32(supported), UInt32(configurable), UInt32(selected)
      )
    }

    package var supported: [LinkPHY] { LinkPHY.allCases.filter { supportedBits & $0.bits != 0 } }
    package var selected: [LinkPHY] { LinkPHY.allCases.filter { selectedBits & $0.bits != 0 } }

    /// The bits that select some PHYs of LE, and leave BR/EDR and what cannot be chosen as they are.
    func bits(selecting phys: [LinkPHY]) -> UInt32 {
      let others = selectedBits & ~LinkPHY.allBits
      let fixed = supportedBits & ~configurableBits
      return others | fixed | phys.reduce(0) { $0 | $1.bits }
    }
  }

  private enum Command {
    static let get: UInt16 = 0x0044
    static let set: UInt16 = 0x0045
  }
  private enum Status {
    static let unknown: UInt8 = 0x01
    static let notSupported: UInt8 = 0x0c
    static let notPowered: UInt8 = 0x0f
    static let denied: UInt8 = 0x14
    static let noAdapter: UInt8 = 0x11
  }
  private static let limit = Duration.seconds(5)

  private let number: UInt16
  private let loop: EventLoop
  private var socket: BluetoothSocket?
  private var wait: (opcode: UInt16, promise: Promise<[UInt8]?>)?

  /// Opens the management interface for an adapter, unless that belongs to another machine.
  package init(_ adapter: Adapter, on loop: EventLoop) throws(RadioFailure) {
    (number, self.loop) = (try BluetoothSocket.controller(of: adapter, on: loop), loop)
    do throws(ErrorNumber) {
      let received = loop.confined { [weak self] (packets: [[UInt8]]) in
        for packet in packets { self?.take(packet) }
      }
      socket = try BluetoothSocket(.management, on: loop, received: received)
    } catch {
      throw RadioFailure(opening: error)
    }
  }

  package func close() {
    socket?.close()
    socket = nil
  }

  package func read() async throws(RadioFailure) -> Choice {
    guard let choice = Choice(try await request(Command.get, [])) else { throw .silent }
    return choice
  }

  /// Selects the PHYs that new links may use; 1M always stays.
  package func select(_ phys: [LinkPHY]) async throws(RadioFailure) -> Choice {
    let choice = try await read()
    if let missing = phys.first(where: { !choice.supported.contains($0) }) {
      throw .system("the controller does not have \(missing.rawValue)")
    }
    let bits = choice.bits(selecting: phys)
    _ = try await request(Command.set, bits.littleEndianBytes)
    return try await read()
  }

  /// Sends a command, and returns what follows the status of its answer.
  private func request(_ opcode: UInt16, _ body: [UInt8]) async throws(RadioFailure) -> [UInt8] {
    let promise = Promise<[UInt8]?>()
    wait = (opcode, promise)
    do throws(ErrorNumber) {
      try socket?.send(
        opcode.littleEndianBytes + number.littleEndianBytes + UInt16(body.count).littleEndianBytes + body)
    } catch {
      throw error.code == EPERM ? .capability(.admin) : .system(error.description)
    }
    let answer = await promise.value(
      until: LoopClock.now + Self.limit, on: loop, ifLate: nil, ifCancelled: nil)
    switch answer?.first {
    case nil: throw .silent
    case 0: return Array(answer?.dropFirst() ?? [])
    case Status.denied: throw .capability(.admin)
    case Status.unknown, Status.notSupported: throw .unsupported
    case Status.notPowered: throw .system("the adapter is off")
    case Status.noAdapter: throw .elsewhere
    case let status?: throw .system("the kernel refuses it, status \(status)")
    }
  }

  /// The answers to our commands: complete, with data, or only a status.
  private func take(_ packet: [UInt8]) {
    var bytes = ByteReader(packet)
    guard let event = bytes.word(), [1, 2].contains(event), let index = bytes.word(), bytes.word() != nil,
      let opcode = bytes.word(), index == number, opcode == wait?.opcode
    else { return }
    wait?.promise.fulfil(bytes.remainder())
    wait = nil
  }
}

extension LinkPHY {
  /// Both directions, in the management interface.
  fileprivate var bits: UInt32 {
    switch self {
    case .oneM: 0x600
    case .twoM: 0x1800
    case .coded: 0x6000
    }
  }

  fileprivate static let allBits: UInt32 = 0x7e00
}
