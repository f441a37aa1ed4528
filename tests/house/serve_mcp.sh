#!/bin/sh
# gramc serve --mcp as its clients see it, message by message: serve_mcp.sh GRAMC [SUFFIX], the latter
# `_http` for what is said over HTTP.
set -u
. "$(dirname "$0")/../support/need.sh"
need python3 "is the client"
exec python3 "$(dirname "$0")/serve_mcp${2:-}.py" "$1"
