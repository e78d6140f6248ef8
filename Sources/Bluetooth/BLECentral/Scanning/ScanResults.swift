// SPDX-License-Identifier: MIT

/// The events of a scan, which starts when the first event is requested.
///
/// The scan ends when the loop over it ends, or its iterator is dropped. It throws when the adapter is
/// switched off, or the service goes away.
public typealias ScanResults = BatchedSequence<ScanEvent>
