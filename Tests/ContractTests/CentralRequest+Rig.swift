// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BlueZSimulator

extension CentralRequest {
  /// The request in the words of `rig-world central`.
  var words: [String] {
    switch self {
    case .read(let uuid, let offset): ["read", uuid.longForm] + (offset.map { ["\($0)"] } ?? [])
    case .write(let uuid, let bytes): ["write", uuid.longForm, Self.text(bytes)]
    case .command(let uuid, let bytes): ["command", uuid.longForm, Self.text(bytes)]
    case .prepare(let uuid, let offset, let bytes): ["prepare", uuid.longForm, "\(offset)", Self.text(bytes)]
    case .execute: ["execute"]
    case .cancel: ["cancel"]
    case .configure(let uuid, let bits): ["configure", uuid.longForm, "\(bits)"]
    case .listen(let uuid): ["listen", uuid.longForm]
    case .hangUpDuringRead(let uuid): ["hang-up-during-read", uuid.longForm]
    case .pair: ["pair"]
    case .exchange(let psm, let count): ["exchange", "\(psm)", "\(count)"]
    }
  }

  private static func text(_ bytes: [UInt8]) -> String { bytes.isEmpty ? "-" : Hex.string(bytes) }
}
