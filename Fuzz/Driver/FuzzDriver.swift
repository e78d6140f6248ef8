// SPDX-License-Identifier: MIT

/// Runs libFuzzer from a `main` of our own: SwiftPM gives every executable one, so libFuzzer's cannot be used.
package enum FuzzDriver {
  package typealias Target = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

  /// Hands the command line to libFuzzer, which calls `target` with one input after the other.
  package static func run(_ target: Target) -> CInt {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    return runDriver(&count, &arguments, target)
  }
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ target: FuzzDriver.Target
) -> CInt
