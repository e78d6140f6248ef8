// SPDX-License-Identifier: MIT
// Programs that import only CoreBluetooth use Data, UUID and DispatchQueue, as they may on macOS.
@_exported public import Foundation
