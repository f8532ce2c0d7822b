#ifndef SATCHEL_CSIMDJSON_H
#define SATCHEL_CSIMDJSON_H

#ifdef __cplusplus
extern "C" {
#endif

/// The version of simdjson this was built with, such as "3.1.0".
const char *satchel_simdjson_version(void);

#ifdef __cplusplus
}
#endif

#endif
