// SPDX-License-Identifier: MIT
internal import Glibc

/// Runs libFuzzer on the fuzzer that `BLECTL_FUZZER` names; the arguments are libFuzzer's.
///
/// The name is in the environment because libFuzzer starts this program again with arguments of its own. SwiftPM gives
/// every executable a `main`, so libFuzzer's cannot be used.
@main
enum FuzzMain {
  /// The seconds of a processor that an input may take.
  ///
  /// libFuzzer's own limit counts real seconds, of which a busy machine may need any number.
  fileprivate static let limit = 60

  static func main() {
    // libFuzzer reports it as a crash, and keeps the input.
    signal(SIGVTALRM) { _ in abort() }
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(runDriver(&count, &arguments, takeInput))
  }
}

/// The driver is given it; the name is what libFuzzer's own `main`, which is linked too, wants.
@_cdecl("LLVMFuzzerTestOneInput")
public func takeInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var timer = itimerval()
  timer.it_value.tv_sec = FuzzMain.limit
  setitimer(Int32(ITIMER_VIRTUAL.rawValue), &timer, nil)
  fuzzer.run(UnsafeRawBufferPointer(start: start, count: count))
  return 0
}

private let fuzzer: Fuzzer = {
  let name = getenv("BLECTL_FUZZER").map { String(cString: $0) }
  guard let fuzzer = Fuzzer.all.first(where: { $0.name == name }) else {
    fatalError("BLECTL_FUZZER must be one of: \(Fuzzer.all.map(\.name).joined(separator: " "))")
  }
  return fuzzer
}()

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ target: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
