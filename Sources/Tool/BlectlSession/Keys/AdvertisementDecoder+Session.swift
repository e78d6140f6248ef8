// SPDX-License-Identifier: MIT
internal import BLECentral
internal import TerminalOutput
internal import ValueStreams

extension AdvertisementDecoder {
  /// The decoder of a process, which reports on stderr what a person should know once.
  convenience init(keys: any BindKeySource, _ options: GlobalOptions, _ console: Console) {
    self.init(keys: keys) { notice in
      switch notice {
      case .keyMissing(let address):
        if options.quiet { return }
        console.note(
          "\(address) sends encrypted data; to decode it, store its key: blectl keys add \(address)")
      case .failed(let address, let name, let error):
        console.warn(
          "cannot decrypt the data of \(name.map { "\($0) (\(address))" } ?? "\(address)"): \(error)")
      }
    }
  }
}
