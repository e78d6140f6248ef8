// SPDX-License-Identifier: MIT

/// Lets a client send the page of `--web` anything: requests for all that it has, forms, writes, and bytes that are no
/// request, in any pieces.
///
/// The first byte chooses the page, and whether the rest is what is sent, or which requests are made. Each answer is
/// well-formed, and one that this client may have; the next client gets its own.
func fuzzPages(_ input: UnsafeRawBufferPointer) {
  var feeder = ByteFeeder(input)
  guard !feeder.isEmpty else { return }
  let choice = feeder.byte()
  let page = choice & 1 == 0 ? pages.open : pages.closed
  page.play(choice & 2 == 0 ? feeder.rest() : feeder.requests())
}

/// Made once for all inputs.
private struct Pages {
  let open = HauntedPage(isOpen: true)
  let closed = HauntedPage(isOpen: false)
}

private let pages = Pages()
