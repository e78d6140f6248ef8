// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
package import BLEFormats
package import BlectlArguments
internal import TerminalOutput
internal import ValueStreams

/// The keys of this process, read from their file when the first of them is needed.
package final class KeyStore: Sendable {
  /// Nil without a home.
  package let file: KeysFile?
  /// True if the user named the file, which must then exist.
  private let isGiven: Bool
  private let warn: @Sendable (CommandError) -> Void
  private let loaded = Lock<KeyRing?>(nil)

  /// `warn` reports, once, a file that cannot be used; the command goes on without keys.
  package init(file: KeysFile?, isGiven: Bool = false, warn: @escaping @Sendable (CommandError) -> Void) {
    (self.file, self.isGiven, self.warn) = (file, isGiven, warn)
  }

  package var ring: KeyRing {
    loaded.withLock { loaded in
      if let loaded { return loaded }
      var ring = KeyRing()
      do throws(CommandError) { ring = try file?.read() ?? KeyRing() } catch { warn(error) }
      loaded = ring
      return ring
    }
  }

  /// Reads a file that the user named, at once; throws if it is missing, or cannot be used.
  package func requireIfGiven() throws(CommandError) {
    guard isGiven, let file else { return }
    guard let ring = try file.read() else {
      throw .usage("cannot use the keys in \(file.path): there is no such file", hint: "blectl keys add")
    }
    loaded.exchange(ring)
  }

  /// Returns the key of the sensor with an address; nil if there is none.
  package func bindKey(of address: BluetoothAddress) -> BindKey? { ring.bindKeys[address] }
}

extension KeyStore {
  /// The keys that the options choose.
  convenience init(_ options: GlobalOptions, _ console: Console) {
    let file = KeysFile(given: options.keys, environment: Console.environment)
    self.init(file: file, isGiven: options.keys != nil) { error in
      ErrorReport.print(error, verbosity: options.verbose, on: console)
    }
  }
}

extension AdvertisementDecoder {
  /// The decoder of a process, which reports on stderr what a person should know once.
  convenience init(keys: KeyStore, _ options: GlobalOptions, _ console: Console) {
    self.init(keys: keys.bindKey(of:)) { notice in
      switch notice {
      case .keyMissing(let address, let name):
        if options.quiet { return }
        let device = name.map { "\(TerminalSafe.escaped($0)) (\(address))" } ?? "\(address)"
        console.note(
          "\(device) sends encrypted data; to decode it, store its key: blectl keys add \(address)")
      case .failed(let address, let name, let error):
        console.warn(
          "cannot decrypt the data of \(name.map { "\($0) (\(address))" } ?? "\(address)"): \(error)")
      }
    }
  }
}
