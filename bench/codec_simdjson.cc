// SPDX-License-Identifier: Apache-2.0
// simdjson's ondemand interface, the fastest that it has for this. It reads
// numbers as double and does not check the grammar of what it passes over.
#include "codec.h"

#include <simdjson.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace
{

using namespace simdjson;

ondemand::parser parser;

padded_string_view
view(const char *text, size_t len)
{
    return padded_string_view(text, len, len + SIMDJSON_PADDING);
}

// Throws what goes wrong; no text here is wrong.
size_t
read_array(ondemand::array array, float *out)
{
    size_t n = 0;

    for (double value : array)
        out[n++] = static_cast<float>(value);
    return n;
}

size_t
simdjson_read(const char *text, size_t len, float *vector)
{
    auto document = parser.iterate(view(text, len));
    return read_array(document.get_array(), vector);
}

// Texts are copied, as the reply's buffer does not stay.
std::vector<char> texts;

void
keep(std::string_view text)
{
    texts.insert(texts.end(), text.begin(), text.end());
}

std::string_view
raw_text(ondemand::value value)
{
    return to_json_string(value);
}

void
simdjson_hms(const char *text, size_t len, struct codec_found *found)
{
    auto document = parser.iterate(view(text, len));

    texts.clear();
    for (ondemand::object match : document["matches"]) {
        found->rows++;
        for (auto field : match) {
            std::string_view key = field.unescaped_key();

            if (key == "id") {
                std::string_view id = field.value();

                found->id_bytes += id.size();
                keep(id);
            } else if (key == "score") {
                found->scores += static_cast<double>(
                    static_cast<float>(double(field.value())));
            } else if (key == "text") {
                keep(field.value());
            } else if (key == "metadata") {
                keep(raw_text(field.value()));
            }
        }
    }
}

void
simdjson_scroll(const char *text, size_t len, struct codec_found *found)
{
    static float row[4096];
    auto document = parser.iterate(view(text, len));

    texts.clear();
    for (ondemand::object point : document["result"]["points"]) {
        found->rows++;
        for (auto field : point) {
            std::string_view key = field.unescaped_key();

            if (key == "id")
                found->id_bytes += uint64_t(field.value());
            else if (key == "payload")
                keep(raw_text(field.value()));
            else if (key == "vector")
                found->floats += read_array(field.value().get_array(), row);
        }
    }
}

} // namespace

extern "C" {
extern const struct codec_peer codec_simdjson = {
    "simdjson ondemand", 1, nullptr, simdjson_read, simdjson_hms,
    simdjson_scroll,
};
}
