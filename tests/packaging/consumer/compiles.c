/* A program of somebody else's that compiles a spec with libgramc, and says whether it could. */
#include <gramc/compile.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    const char *text = "[a:Agent | [t:Tool {description: \"d\"} | (x::Int)==>(::Text)]]";
    gramc_compilation *compilation;
    const gramc_spec *spec;
    if (gramc_compilation_new(&compilation, NULL)) return 1;
    if (gramc_add_source(compilation, GRAMC_TEXT("inline"), text, strlen(text))) return 2;
    if (gramc_compile(&spec, compilation) || gramc_spec_tool_count(spec) != 1) return 3;
    gramc_compilation_free(compilation);
    puts("compiles works");
    return 0;
}
