#!/bin/sh
# gramc serve --ab from end to end: who gets which arm, what is recorded, what the report concludes
# (online.py).
set -u
. "$(dirname "$0")/../support/need.sh"
need python3 "asks the server"
exec python3 "$(dirname "$0")/online.py" "$@"
