#include "CDBus.h"
