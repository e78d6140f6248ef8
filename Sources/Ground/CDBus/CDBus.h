// SPDX-License-Identifier: MIT
/// libdbus-1 for Swift.
///
/// Swift imports all of <dbus/dbus.h>, except macros with a cast (`DBUS_TYPE_*`, `DBUS_ERROR_INIT`) and variadic functions.
#ifndef CDBUS_H
#define CDBUS_H

#include <dbus/dbus.h>

/// An empty DBusError. In C because `DBUS_ERROR_INIT` is a brace initialiser, which Swift does not import.
static inline DBusError cdbus_error_init(void) {
  DBusError error = DBUS_ERROR_INIT;
  return error;
}

#endif
