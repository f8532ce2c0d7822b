#include "CSimdJSON.h"
#include <simdjson.h>

#define SATCHEL_TEXT(x) #x
#define SATCHEL_VERSION_TEXT(x) SATCHEL_TEXT(x)

const char *satchel_simdjson_version(void) { return SATCHEL_VERSION_TEXT(SIMDJSON_VERSION); }
