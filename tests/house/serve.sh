#!/bin/sh
# gramc serve through the command: serve.sh NAME ..., which is a program beside this one: what endpoints
# answer and refuse (serve.py), attacks (serve_attacks.py), whatever can be served (serve_kinds.py).
set -u
. "$(dirname "$0")/../support/need.sh"
need python3 "asks the server"
need curl "runs what the page shows"
name=$1
shift
exec python3 "$(dirname "$0")/$name.py" "$@"
