// The same loop as bench_validate.c with RapidJSON's SAX reader feeding its SchemaValidator.
#include <rapidjson/document.h>
#include <rapidjson/reader.h>
#include <rapidjson/schema.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

struct Call {
    std::string text;
    int tool, expected;
};

static std::string read_file(const char *path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    rapidjson::Document list;
    list.Parse(read_file(argv[1]).c_str());
    std::vector<std::unique_ptr<rapidjson::SchemaDocument>> schemas;
    std::vector<std::unique_ptr<rapidjson::SchemaValidator>> validators;
    for (auto &tool : list.GetArray()) {
        schemas.emplace_back(new rapidjson::SchemaDocument(tool["schema"]));
        validators.emplace_back(new rapidjson::SchemaValidator(*schemas.back()));
    }
    std::vector<Call> calls;
    std::ifstream file(argv[2]);
    for (std::string line; std::getline(file, line);) {
        size_t tab = line.find('\t');
        calls.push_back({line.substr(tab + 3), std::stoi(line), line[tab + 1] - '0'});
    }
    size_t runs = argc > 3 ? std::stoul(argv[3]) : 7, differ = 0;
    std::vector<double> times;
    for (size_t run = 0; run <= runs; run++) {
        std::clock_t start = std::clock();
        differ = 0;
        for (const Call &call : calls) {
            auto &validator = *validators[call.tool];
            rapidjson::Reader reader;
            rapidjson::StringStream stream(call.text.c_str());
            validator.Reset();
            bool accepts = reader.Parse(stream, validator) && validator.IsValid();
            differ += accepts != (call.expected == 1);
        }
        double took = 1e9 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        if (run) times.push_back(took / static_cast<double>(calls.size()));
    }
    std::sort(times.begin(), times.end());
    std::printf("{\"name\":\"rapidjson\",\"calls\":%zu,\"ns_per_call\":%.1f,\"min_ns\":%.1f,"
                "\"max_ns\":%.1f,\"disagree\":%zu}\n",
                calls.size(), times[times.size() / 2], times.front(), times.back(), differ);
    return differ != 0;
}
