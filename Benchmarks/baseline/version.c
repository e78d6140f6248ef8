// SPDX-License-Identifier: MIT
/// The baseline of `blectl --version`: a program that libdbus-1 is loaded for, and that prints a line.
#include <dbus/dbus.h>
#include <stdio.h>

int main(void) {
  int major, minor, micro;
  dbus_get_version(&major, &minor, &micro);
  printf("baseline %d.%d.%d\n", major, minor, micro);
  return 0;
}
