// SPDX-License-Identifier: MIT

/// Lets bluetoothd ask a peripheral for anything, as hostile centrals make it do: any method, offset, length and option, of
/// any type.
///
/// Nothing may crash or hang; each call has one answer, and no value is longer than 512 bytes.
func fuzzRequests(_ input: UnsafeRawBufferPointer) {
  var feeder = ByteFeeder(input)
  guard !feeder.isEmpty else { return }
  service.play(&feeder)
}

/// Made once for all inputs.
nonisolated(unsafe) private let service: HauntedService = {
  do { return try HauntedService() } catch { preconditionFailure("no bus: \(error)") }
}()
