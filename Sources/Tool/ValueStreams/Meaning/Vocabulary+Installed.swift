// SPDX-License-Identifier: MIT
internal import AsyncIO

extension Vocabulary {
  private enum Installed: Sendable {
    case waiting(@Sendable () -> Vocabulary)
    case loaded(Vocabulary)
  }

  private static let installed = Lock(Installed.loaded(Vocabulary()))

  /// The vocabulary of this process, which is loaded when it is first needed.
  ///
  /// Everything that takes or prints the name of a UUID, and everything that decodes or encodes values, uses it.
  package static var known: Vocabulary {
    installed.withLock { installed in
      switch installed {
      case .loaded(let vocabulary): return vocabulary
      case .waiting(let load):
        let vocabulary = load()
        installed = .loaded(vocabulary)
        return vocabulary
      }
    }
  }

  /// Sets how the vocabulary of this process is loaded: once, before the first argument is parsed.
  package static func install(_ load: @escaping @Sendable () -> Vocabulary) {
    installed.withLock { $0 = .waiting(load) }
  }
}
