// SPDX-License-Identifier: MIT
#ifndef CDBUS_H
#define CDBUS_H
#include <dbus/dbus.h>
#endif
