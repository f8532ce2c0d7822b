#include "CSimdJSON.h"
#include <memory>
#include <simdjson.h>

static_assert(SATCHEL_JSON_PADDING >= simdjson::SIMDJSON_PADDING, "simdjson reads further");

namespace {

using namespace simdjson;

// Looking for a key twice compares each with each, which many keys would make slow.
constexpr size_t most_keys = 64;

thread_local std::unique_ptr<dom::parser> kept;

bool is_plain(dom::element element);

bool is_plain(dom::object object) {
    std::string_view keys[most_keys];
    size_t count = 0;
    for (auto member : object) {
        if (count == most_keys) { return false; }
        for (size_t index = 0; index < count; index++) {
            if (keys[index] == member.key) { return false; }
        }
        keys[count++] = member.key;
        if (!is_plain(member.value)) { return false; }
    }
    return true;
}

bool is_plain(dom::element element) {
    switch (element.type()) {
    case dom::element_type::OBJECT: {
        dom::object object;
        return element.get(object) == SUCCESS && is_plain(object);
    }
    case dom::element_type::ARRAY: {
        dom::array array;
        if (element.get(array) != SUCCESS) { return false; }
        for (auto member : array) {
            if (!is_plain(member)) { return false; }
        }
        return true;
    }
    default: return true;
    }
}

} // namespace

int64_t satchel_json_compact_object(
    const uint8_t *bytes, size_t count, int32_t max_depth, uint8_t *output,
    size_t *output_count) {
    if (!kept) { kept = std::make_unique<dom::parser>(); }
    if (kept->capacity() < count || kept->max_depth() != size_t(max_depth)) {
        size_t capacity = count < 64 * 1024 ? 64 * 1024 : count;
        if (kept->allocate(capacity, size_t(max_depth)) != SUCCESS) { return -1; }
    }
    dom::element root;
    if (kept->parse(bytes, count, false).get(root) != SUCCESS) { return -1; }
    dom::object object;
    if (root.get(object) != SUCCESS || !is_plain(object)) { return -1; }
    auto *text = reinterpret_cast<const char *>(bytes);
    if (minify(text, count, reinterpret_cast<char *>(output), *output_count) != SUCCESS) {
        return -1;
    }
    return int64_t(object.size());
}
