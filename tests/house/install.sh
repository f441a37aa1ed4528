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
int main(void) {
    const char *text = "[a:Agent | [t:Tool {description: \"d\"} | (x::Int)==>(::Text)]]";
    gramc_compilation *c;
    const gramc_spec *spec;
    if (gramc_compilation_new(&c, NULL)) return 1;
    if (gramc_add_source(c, GRAMC_TEXT("inline"), text, strlen(text))) return 2;
    if (gramc_compile(&spec, c)) return 3;
    printf("%d tools\n", (int)gramc_spec_tool_count(spec));
    gramc_compilation_free(c);
    return 0;
}
C
lib=$(dirname "$(find "$prefix" -name libgramc.a)")
flags=${GRAMC_SANITIZED:+-fsanitize=address,undefined}
# shellcheck disable=SC2086
$cc -std=c99 -pedantic -Wall -Wextra -Werror $flags -I"$prefix/include" user.c "$lib/libgramc.a" -lpcre2-8 -lyaml -o user
[ "$(./user)" = "1 tools" ]
# shellcheck disable=SC2086
$cc -std=c99 $flags -I"$prefix/include" user.c -L"$lib" -lgramc -Wl,-rpath,"$lib" -o user-shared
[ "$(./user-shared)" = "1 tools" ]
for header in gramc compile runtime; do
    echo "#include <gramc/$header.h>" >h.c
    $cc -std=c99 -pedantic -Wall -Wextra -Wstrict-prototypes -Werror -fsyntax-only -I"$prefix/include" h.c
    $cc -x c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I"$prefix/include" h.c
done
for page in man/man1/gramc.1 bash-completion/completions/gramc zsh/site-functions/_gramc fish/vendor_completions.d/gramc.fish; do
    [ -s "$prefix/share/$page" ] || { echo "share/$page was not installed"; exit 1; }
done
echo "installed, moved, used"
