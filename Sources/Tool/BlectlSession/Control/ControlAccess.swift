// SPDX-License-Identifier: MIT
internal import BLECentral
package import BLEFormats
package import BlectlArguments
package import ValueStreams

/// A way in for others, and the characteristics that its option names: no other can be read or written.
package struct ControlAccess: Sendable {
  /// The option that names them, for errors.
  let option: String
  private let allowed: [CharacteristicArgument]
  private let control: RemoteControl

  package init(_ option: String, _ allowed: [CharacteristicArgument], to control: RemoteControl) {
    (self.option, self.allowed, self.control) = (option, allowed, control)
  }

  /// The characteristics, as they are offered to clients.
  var words: [String] { allowed.map { "\($0)" } }

  func allows(_ characteristic: GATTCharacteristic) -> Bool {
    allowed.contains { $0.matches(characteristic) }
  }

  /// Carries out a request in its turn; `answer` gets the outcome once, on any thread.
  package func perform(
    _ request: RemoteRequest, _ answer: @escaping @Sendable (RemoteOutcome) -> Void
  ) {
    control.perform(request, for: self, answer)
  }

  /// Calls `body` for each named characteristic of each link that can be written, and whose layout tells how by hand.
  package func onWritable(_ body: @escaping @Sendable (LayoutControl, ValueOrigin) -> Void) {
    control.observeLinks { link, all in
      let device = ProfileSubject(link.info)
      for characteristic in all where allows(characteristic) && characteristic.isWritable {
        let layout = Vocabulary.known.layout(of: AttributeIdentity(characteristic, of: device))
        guard let control = layout?.control else { continue }
        body(
          control,
          ValueOrigin(link.info, characteristic, via: .read, hasTwin: all.hasTwin(of: characteristic))
        )
      }
    }
  }
}

extension GATTCharacteristic {
  fileprivate var isWritable: Bool { !properties.isDisjoint(with: [.write, .writeWithoutResponse]) }
}
