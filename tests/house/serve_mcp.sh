#!/bin/sh
# gramc serve --mcp as its client sees it, line by line (serve_mcp.py).
set -u
. "$(dirname "$0")/../support/need.sh"
need python3 "is the client"
exec python3 "$(dirname "$0")/serve_mcp.py" "$@"
