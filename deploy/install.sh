#!/bin/sh
# Builds this checkout and installs it, with the locked dependencies of production, as a tree that can run anywhere: TARGET/node_modules.
# The Dockerfile runs it, and so does the test of the image. Usage: deploy/install.sh TARGET
set -eu
target="$1"
cd "$(dirname "$0")/.."

npm ci --no-audit --no-fund
packed="$(mktemp -d)"
npm pack --silent --pack-destination "$packed"

mkdir -p "$target/client" "$target/console"
cp package.json package-lock.json "$target/"
cp client/package.json "$target/client/"
cp console/package.json "$target/console/"
(cd "$target" && npm ci --omit=dev --ignore-scripts --no-audit --no-fund)

# The workspaces are part of the package.
rm -rf "$target/client" "$target/console" "$target/node_modules/@troupe" "$target/package.json" "$target/package-lock.json"
mkdir -p "$target/node_modules/troupe"
tar -xzf "$packed"/troupe-*.tgz -C "$target/node_modules/troupe" --strip-components=1
rm -rf "$packed"

# Sources of SQLite, and its binaries for other systems.
sqlite="$target/node_modules/better-sqlite3"
rm -rf "$sqlite/deps" "$sqlite/src"
find "$sqlite/prebuilds" -name '*.node' ! -name 'linux-*' -delete
