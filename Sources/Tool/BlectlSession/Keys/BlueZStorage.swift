// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLEFormats
package import BlectlArguments
internal import Glibc

/// The data that bluetoothd stores about the devices that it is paired with: a folder for each adapter, in it
/// one for each device.
///
/// Only root may read it. The format is that of BlueZ's `doc/settings-storage.txt`.
package struct BlueZStorage: Sendable {
  package static let usualPath = "/var/lib/bluetooth"
  /// Far more than bluetoothd stores of a device.
  private static let longestFile = 1 << 20

  private let path: String

  package init(path: String = usualPath) { self.path = path }

  /// The identities of the paired devices that use privacy, by adapter and address.
  ///
  /// - Throws: ``CommandError`` if the folder cannot be read.
  package func identities() throws(CommandError) -> [KeyRing.Identity] {
    var identities: [KeyRing.Identity] = []
    for adapter in try entries(path) where BluetoothAddress(adapter) != nil {
      for device in try entries("\(path)/\(adapter)") {
        guard let address = BluetoothAddress(device),
          let text = try contents("\(path)/\(adapter)/\(device)/info"),
          let identity = Self.identity(in: text, at: address)
        else { continue }
        // A device may be paired with several adapters.
        if !identities.contains(where: { $0.address == address && $0.key == identity.key }) {
          identities.append(identity)
        }
      }
    }
    return identities
  }

  /// The identity in the file of a device; nil if there is no key.
  static func identity(in text: String, at address: BluetoothAddress) -> KeyRing.Identity? {
    var section = ""
    var values: [String: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
        section = String(line[line.index(after: line.startIndex)..<end])
      } else if let equals = line.firstIndex(of: "=") {
        values["\(section)/\(line[..<equals])"] = String(line[line.index(after: equals)...])
      }
    }
    // BlueZ stores the least significant byte first.
    guard let digits = values["IdentityResolvingKey/Key"], let bytes = Hex.bytes(digits),
      bytes.contains(where: { $0 != 0 }), let key = IdentityKey(bytes: bytes.reversed())
    else { return nil }
    let name = values["General/Alias"] ?? values["General/Name"] ?? ""
    return KeyRing.Identity(name: name, address: address, key: key)
  }

  // MARK: Files

  private func entries(_ folder: String) throws(CommandError) -> [String] {
    do throws(ErrorNumber) { return try Folder.names(in: folder) } catch {
      throw failure(folder, error.code)
    }
  }

  /// Nil if there is no such file.
  private func contents(_ file: String) throws(CommandError) -> String? {
    do throws(WholeFile.Failure) {
      let bytes = try WholeFile.read(file, atMost: Self.longestFile, flags: O_NONBLOCK)
      return String(decoding: bytes, as: UTF8.self)
    } catch {
      switch error {
      case .system(let number) where [ENOENT, ENOTDIR].contains(number): return nil
      case .system(let number): throw failure(file, number)
      case .tooLong:
        throw CommandError(status: .failed, message: "cannot read \(file): it is larger than 1 MiB")
      }
    }
  }

  private func failure(_ name: String, _ number: Int32) -> CommandError {
    CommandError(
      status: .failed, message: "cannot read \(name): \(String(cString: strerror(number)))",
      hint: number == EACCES || number == EPERM
        ? "sudo blectl keys import --keys FILE, with the path of your own file" : nil)
  }
}
