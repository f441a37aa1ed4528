/* Looks a symbol up in the dynamic symbol table of an ELF file: binding says what is missing before
 * anything runs, and must not run the plugin to find out. A file of another format, or without
 * section headers, is left to the loader. The format: System V ABI, chapter 4, as in elf.h. */
#define _POSIX_C_SOURCE 200809L
#include "runtime/process/plugin_symbols.h"

#include <string.h>

#if defined(__ELF__) && defined(__linux__)
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#if UINTPTR_MAX > UINT32_MAX
typedef Elf64_Ehdr elf_header;
typedef Elf64_Shdr elf_section;
typedef Elf64_Sym elf_symbol;
enum { ELF_CLASS = ELFCLASS64 };
#else
typedef Elf32_Ehdr elf_header;
typedef Elf32_Shdr elf_section;
typedef Elf32_Sym elf_symbol;
enum { ELF_CLASS = ELFCLASS32 };
#endif

enum { SECTIONS_MAX = 4096, SYMBOLS_MAX = 1 << 20, SYMBOL_MAX = 256, BATCH = 64 };

struct elf_object {
    int file;
    uint64_t size;
    elf_header header;
};

static bool read_at(const struct elf_object *object, uint64_t offset, void *out, size_t size) {
    if (offset > object->size || size > object->size - offset) return false;
    return pread(object->file, out, size, (off_t)offset) == (ssize_t)size;
}

static bool is_object(struct elf_object *object) {
    elf_header *header = &object->header;
    if (!read_at(object, 0, header, sizeof(*header))) return false;
    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELF_CLASS && header->e_type == ET_DYN;
}

static bool read_section(const struct elf_object *object, size_t i, elf_section *out) {
    if (i >= object->header.e_shnum) return false;
    return read_at(object, object->header.e_shoff + i * sizeof(*out), out, sizeof(*out));
}

static bool find_table(const struct elf_object *object, elf_section *symbols,
                       elf_section *strings) {
    size_t count = object->header.e_shnum;
    if (object->header.e_shentsize != sizeof(*symbols) || count > SECTIONS_MAX) return false;
    for (size_t i = 0; i < count; i++) {
        if (!read_section(object, i, symbols)) return false;
        if (symbols->sh_type == SHT_DYNSYM) return read_section(object, symbols->sh_link, strings);
    }
    return false;
}

static bool is_named(const struct elf_object *object, const elf_section *strings,
                     const elf_symbol *entry, gramc_text symbol) {
    char name[SYMBOL_MAX + 1];
    if (entry->st_shndx == SHN_UNDEF || entry->st_name >= strings->sh_size) return false;
    if (symbol.len + 1 > strings->sh_size - entry->st_name) return false;
    if (!read_at(object, strings->sh_offset + entry->st_name, name, symbol.len + 1)) return false;
    return memcmp(name, symbol.ptr, symbol.len) == 0 && name[symbol.len] == '\0';
}

static enum plugin_finding search(const struct elf_object *object, gramc_text symbol) {
    elf_section symbols, strings;
    elf_symbol batch[BATCH];
    if (!find_table(object, &symbols, &strings)) return PLUGIN_UNKNOWN;
    uint64_t count = symbols.sh_size / sizeof(*batch);
    if (symbols.sh_entsize != sizeof(*batch) || count > SYMBOLS_MAX) return PLUGIN_UNKNOWN;
    for (uint64_t i = 0; i < count; i += BATCH) {
        size_t part = count - i < BATCH ? (size_t)(count - i) : BATCH;
        if (!read_at(object, symbols.sh_offset + i * sizeof(*batch), batch, part * sizeof(*batch)))
            return PLUGIN_UNKNOWN;
        for (size_t j = 0; j < part; j++)
            if (is_named(object, &strings, &batch[j], symbol)) return PLUGIN_EXPORTS;
    }
    return PLUGIN_LACKS;
}

enum plugin_finding plugin_exports(const char *path, gramc_text symbol) {
    struct stat st;
    struct elf_object object = {.file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    enum plugin_finding finding = PLUGIN_NO_OBJECT;
    if (object.file < 0) return PLUGIN_UNREADABLE;
    if (fstat(object.file, &st) || !S_ISREG(st.st_mode)) finding = PLUGIN_UNREADABLE;
    else object.size = (uint64_t)st.st_size;
    if (finding != PLUGIN_UNREADABLE && is_object(&object))
        finding = symbol.len <= SYMBOL_MAX ? search(&object, symbol) : PLUGIN_LACKS;
    close(object.file);
    return finding;
}

#else
#include <stdio.h>

enum plugin_finding plugin_exports(const char *path, gramc_text symbol) {
    FILE *file = fopen(path, "rb");
    (void)symbol;
    if (!file) return PLUGIN_UNREADABLE;
    fclose(file);
    return PLUGIN_UNKNOWN;
}
#endif
