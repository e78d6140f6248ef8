// SPDX-License-Identifier: MIT
#include "CDynamicLibrary.h"

#include <dlfcn.h>

const char *cdynamic_load(const char *file, const struct cdynamic_symbol *symbols, size_t count) {
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return dlerror();
  for (size_t index = 0; index < count; index++) {
    void *symbol = dlsym(handle, symbols[index].name);
    if (!symbol) {
      const char *reason = dlerror();
      return reason ? reason : "a function is missing";
    }
    *(void **)symbols[index].slot = symbol;
  }
  return NULL;
}
