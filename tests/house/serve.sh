#!/bin/sh
# gramc serve through the command: what its endpoints answer, and what they refuse (serve.py).
set -u
. "$(dirname "$0")/../support/need.sh"
need python3 "asks the server"
exec python3 "$(dirname "$0")/serve.py" "$@"
