#include "CSimdJSON.h"
#include <memory>
#include <simdjson.h>

#define SATCHEL_TEXT(x) #x
#define SATCHEL_VERSION_TEXT(x) SATCHEL_TEXT(x)

const char *satchel_simdjson_version(void) { return SATCHEL_VERSION_TEXT(SIMDJSON_VERSION); }

namespace {

// Only simdjson's first stage is used: its second one refuses integers over 64 bits and keeps no
// number's spelling, and Satchel must give both back.
using indexer = simdjson::internal::dom_parser_implementation;

constexpr size_t smallest_capacity = 16 * 1024;
constexpr size_t capacity_to_keep = 64 * 1024;

thread_local std::unique_ptr<indexer> kept;

bool make_room(size_t count) {
    if (kept && kept->capacity() >= count) { return true; }
    size_t capacity = count < smallest_capacity ? smallest_capacity : count;
    kept.reset();
    return simdjson::get_active_implementation()->create_dom_parser_implementation(
               capacity, 1, kept) == simdjson::SUCCESS;
}

int32_t status_of(simdjson::error_code code) {
    switch (code) {
    case simdjson::SUCCESS: return SATCHEL_JSON_OK;
    case simdjson::EMPTY: return SATCHEL_JSON_EMPTY;
    case simdjson::UTF8_ERROR: return SATCHEL_JSON_INVALID_UTF8;
    case simdjson::UNESCAPED_CHARS: return SATCHEL_JSON_CONTROL_CHARACTER;
    case simdjson::UNCLOSED_STRING: return SATCHEL_JSON_UNCLOSED_STRING;
    case simdjson::CAPACITY: return SATCHEL_JSON_TOO_LARGE;
    default: return SATCHEL_JSON_NO_MEMORY;
    }
}

} // namespace

int32_t satchel_json_index(
    const uint8_t *bytes, size_t count, const uint32_t **offsets, size_t *offset_count) {
    *offsets = nullptr;
    *offset_count = 0;
    if (count > simdjson::SIMDJSON_MAXSIZE_BYTES - 64) { return SATCHEL_JSON_TOO_LARGE; }
    if (!make_room(count)) { return SATCHEL_JSON_NO_MEMORY; }
    // The first stage copies the last, partial block into a buffer of its own, so it never reads
    // past the text; only the second stage needs the padding simdjson asks for.
    auto code = kept->stage1(bytes, count, simdjson::stage1_mode::regular);
    if (code != simdjson::SUCCESS) { return status_of(code); }
    *offsets = kept->structural_indexes.get();
    *offset_count = kept->n_structural_indexes;
    return SATCHEL_JSON_OK;
}

void satchel_json_trim(void) {
    if (kept && kept->capacity() > capacity_to_keep) { kept.reset(); }
}
