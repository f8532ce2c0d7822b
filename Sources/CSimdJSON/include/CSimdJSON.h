#ifndef SATCHEL_CSIMDJSON_H
#define SATCHEL_CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What the scan of a text found.
enum satchel_json_status {
    SATCHEL_JSON_OK = 0,
    SATCHEL_JSON_EMPTY,
    SATCHEL_JSON_INVALID_UTF8,
    /// A control character inside a string.
    SATCHEL_JSON_CONTROL_CHARACTER,
    SATCHEL_JSON_UNCLOSED_STRING,
    SATCHEL_JSON_TOO_LARGE,
    SATCHEL_JSON_NO_MEMORY,
};

/// The version of simdjson this was built with, such as "3.1.0".
const char *_Nonnull satchel_simdjson_version(void);

/// Finds where each token of a JSON text starts, and checks that the text is UTF-8.
///
/// Tokens are the operators, the opening quotes of strings, and the first bytes of numbers and
/// literals; nothing is known yet about their order. `offsets` gets `offset_count` ascending byte
/// offsets and one more entry that equals `count`. They belong to this thread and hold until its
/// next call. The text needs no padding.
int32_t satchel_json_index(
    const uint8_t *_Nonnull bytes, size_t count,
    const uint32_t *_Nullable *_Nonnull offsets, size_t *_Nonnull offset_count);

/// Gives back the memory this thread keeps for offsets, if it is more than a few hundred KiB.
void satchel_json_trim(void);

/// How many readable bytes must follow the text given to `satchel_json_compact_object`, and how
/// many more than the text has its output needs.
enum { SATCHEL_JSON_PADDING = 64 };

/// Copies the text of a JSON object without its white space, and counts the object's members.
///
/// It takes only what every careful reader takes: UTF-8, no key twice, nesting up to `max_depth`,
/// numbers that fit 64 bits or a double. Returns -1 for anything else, which a slower reader may
/// still find good.
int64_t satchel_json_compact_object(
    const uint8_t *_Nonnull bytes, size_t count, int32_t max_depth,
    uint8_t *_Nonnull output, size_t *_Nonnull output_count);

#ifdef __cplusplus
}
#endif

#endif
