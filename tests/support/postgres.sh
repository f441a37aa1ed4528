#!/bin/sh
# Runs a command beside a PostgreSQL server of its own, which has a socket in a temporary folder and
# nothing else; the folder is the command's last argument. The server does not run as root.
set -u
. "$(dirname "$0")/need.sh"
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)
[ -n "$bin" ] || lack "PostgreSQL is not installed"
PATH=$bin:$PATH
folder=$(mktemp -d)
as() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
finish() {
    (cd / && as pg_ctl -D "$folder/data" -m immediate stop >/dev/null 2>&1)
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 130' INT TERM
[ "$(id -u)" = 0 ] && chown postgres "$folder"
chmod 755 "$folder"
(cd / && as initdb -D "$folder/data" -A trust -U gramc -E UTF8 --locale=C --no-sync >"$folder/log" 2>&1 &&
    as pg_ctl -D "$folder/data" -l "$folder/data/log" -w -o "-c listen_addresses= -c fsync=off -c unix_socket_directories=$folder" start >>"$folder/log" 2>&1) ||
    { cat "$folder/log" "$folder/data/log" 2>/dev/null; echo "the server does not start"; exit 1; }
"$@" "$folder"
