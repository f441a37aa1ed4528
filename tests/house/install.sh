#!/bin/sh
# cmake --install into a prefix, move the prefix, use everything from there: the command, the
# hand-over to gramc-run, a program against the static library, the headers as C99 and C++.
set -eu
source=$1 build=$2 cc=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"
prefix=$work/moved
cd "$work"

"$prefix/bin/gramc" --version
"$prefix/bin/gramc" check "$prefix/share/gramc/specs/hello_world.gram"
"$prefix/bin/gramc" compile "$prefix/share/gramc/specs/hello_world.gram" --target openai | grep -q sayHello
answer=$("$prefix/bin/gramc" run "$prefix/share/gramc/specs/hello_world.gram" \
    --library "$prefix/share/gramc/specs/libraries/formal.gram" --model mock "Hello")
echo "$answer" | grep -q 'Good day' || { echo "run from a moved prefix said: $answer"; exit 1; }
"$prefix/bin/gram-agent" --version >/dev/null

# Beside a gramc-run of somebody else's on PATH and in the current folder, ours is taken.
printf '#!/bin/sh\necho wrong\n' >gramc-run
chmod +x gramc-run
answer=$(PATH="$work:$PATH" "$prefix/bin/gramc" run "$prefix/share/gramc/specs/hello_world.gram" \
    --library "$prefix/share/gramc/specs/libraries/formal.gram" --model mock "Hello")
[ "$answer" != wrong ]

cat >user.c <<'C'
#include <gramc/compile.h>
#include <stdio.h>
#include <string.h>
/* Names of a program's own that the library has inside as well. */
int buf_init(void);
int arena_free(void);
int buf_init(void) { return 0; }
int arena_free(void) { return 0; }
int main(void) {
    const char *text = "[a:Agent | [t:Tool {description: \"d\"} | (x::Int)==>(::Text)]]";
    gramc_compilation *c;
    const gramc_spec *spec;
    if (gramc_compilation_new(&c, NULL)) return 1;
    if (gramc_add_source(c, GRAMC_TEXT("inline"), text, strlen(text))) return 2;
    if (gramc_compile(&spec, c)) return 3;
    printf("%d tools\n", (int)gramc_spec_tool_count(spec));
    gramc_compilation_free(c);
    return buf_init() + arena_free();
}
C
cat >runner.c <<'C'
#include <gramc/runtime.h>
#include <stdio.h>
int main(void) {
    gramc_builtins *builtins;
    gramc_loop *loop;
    if (gramc_builtins_new(&builtins, NULL)) return 1;
    if (gramc_loop_new(&loop, NULL)) return 2;
    puts(gramc_version());
    gramc_loop_free(loop);
    gramc_builtins_free(builtins);
    return 0;
}
C
lib=$(dirname "$(find "$prefix" -name libgramc.a)")
flags=${GRAMC_SANITIZED:+-fsanitize=address,undefined}
# shellcheck disable=SC2086
$cc -std=c99 -pedantic -Wall -Wextra -Werror $flags -I"$prefix/include" user.c "$lib/libgramc.a" -lpcre2-8 -lyaml -o user
[ "$(./user)" = "1 tools" ]
# Without the sanitizers' flags, which would ask for the library of C++.
$cc -x c++ -std=c++11 -Wall -Wextra -Werror -I"$prefix/include" -c user.c -o user-c++.o
# shellcheck disable=SC2086
$cc $flags user-c++.o "$lib/libgramc.a" -lpcre2-8 -lyaml -o user-c++
[ "$(./user-c++)" = "1 tools" ]
# The validator alone, as its own file says.
cat >schema.c <<'C'
#include <gramc/schema.h>

int main(void) {
    gramc_schema *schema;
    if (gramc_schema_compile(&schema, "{\"pattern\": \"^a\"}", 17, NULL, NULL)) return 2;
    bool fine = gramc_schema_accepts(schema, "[\"a\"]", 5) && !gramc_schema_accepts(schema, "\"b\"", 3);
    gramc_schema_free(schema);
    return fine ? 0 : 1;
}
C
alone=$(PKG_CONFIG_PATH=$lib/pkgconfig pkg-config --static --cflags --libs gramcschema)
# shellcheck disable=SC2086
$cc -std=c99 -Wall -Wextra -Werror $flags schema.c $alone -o schema
./schema
# shellcheck disable=SC2086
if [ -e "$lib/libgramcrun.a" ]; then
    $cc -std=c99 -Wall -Wextra -Werror $flags -I"$prefix/include" runner.c "$lib/libgramcrun.a" "$lib/libgramc.a" \
        -lcurl -luv -lsqlite3 -lpcre2-8 -lyaml -lm -ldl -lpthread -o runner
    "./runner" | grep -q '^[0-9]'
    $cc -std=c99 $flags -I"$prefix/include" runner.c -L"$lib" -lgramcrun -lgramc -Wl,-rpath,"$lib" -o runner-shared
    ./runner-shared | grep -q '^[0-9]'
fi
# shellcheck disable=SC2086
$cc -std=c99 $flags -I"$prefix/include" user.c -L"$lib" -lgramc -Wl,-rpath,"$lib" -o user-shared
[ "$(./user-shared)" = "1 tools" ]
for header in gramc schema jolt spec compile diff runtime plugin; do
    echo "#include <gramc/$header.h>" >h.c
    $cc -std=c99 -pedantic -Wall -Wextra -Wstrict-prototypes -Werror -fsyntax-only -I"$prefix/include" h.c
    $cc -x c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I"$prefix/include" h.c
done
cat >plugin.cc <<'C'
#include <gramc/plugin.h>
GRAMC_PLUGIN
GRAMC_PLUGIN_TOOL(tool) { return gramc_plugin_say(call, "x"); }
C
$cc -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$prefix/include" plugin.cc

# A plugin built with the installed header runs in the installed host; so does a program that stays.
cat >calls.jsonl <<'J'
{"event":"header","format":"gramc-trace","version":1}
{"event":"model.response","calls":[{"name":"sqrt","arguments":"{\"x\":16}"}]}
{"event":"model.response","content":"done"}
J
calculate() {
    "$prefix/bin/gramc" run "$prefix/share/gramc/specs/calculator.gram" --wire tools --library "$1" \
        --model script:calls.jsonl --trace trace.jsonl "The root of 16?" >/dev/null
    grep -q '"event":"tool.response".*"outcome":"ok","result":"4\(\.0\)\?"' trace.jsonl ||
        { echo "$1:"; cat trace.jsonl; exit 1; }
}
plugin=$prefix/share/gramc/specs/plugin
if command -v make >/dev/null; then make -s -C "$plugin" CC="$cc" INCLUDE="$prefix/include"
else
    echo "make is missing: the Makefile of specs/plugin was not tried"
    for name in libcalc template; do
        $cc -std=c99 -I"$prefix/include" -shared -fPIC -o "$plugin/$name.so" "$plugin/${name#lib}.c" -lm
    done
fi
calculate "$plugin/native.gram"
if command -v python3 >/dev/null; then calculate "$prefix/share/gramc/specs/libraries/staying.gram"
else echo "python3 is missing: calculate.py was not tried"; fi

for file in README.md parcels.gram cases.jsonl model.py; do
    [ -s "$prefix/share/gramc/tutorial/$file" ] || { echo "share/gramc/tutorial/$file was not installed"; exit 1; }
done
for page in man/man1/gramc.1 man/man1/gramc-check.1 bash-completion/completions/gramc zsh/site-functions/_gramc fish/vendor_completions.d/gramc.fish; do
    [ -s "$prefix/share/$page" ] || { echo "share/$page was not installed"; exit 1; }
done
echo "installed, moved, used"
