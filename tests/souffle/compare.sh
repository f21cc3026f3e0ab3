#!/bin/sh
# Runs rule packs through Harp and through Soufflé and compares the rows of every finding.
#
#     tests/souffle/compare.sh [PATH [RULES.dl…]]
#
# PATH is a Python program (examples/digits), RULES.dl are rule files that stand alone (those of rules/). HARP names the program to
# run (target/release/harp, target/debug/harp, or harp). Exits with 0 where all agree, 1 where something differs, and 77,
# with which test runners say "skipped", where souffle or python3 is not installed.
#
# Rules with functors of Harp's own cannot be run by Soufflé and are passed over, with a word. Numbers beyond 32 bits need a Soufflé that
# was built with 64 bits.

set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
for tool in souffle python3; do
    if ! command -v "$tool" >/dev/null 2>&1; then
        echo "$tool is not installed: nothing was compared"
        exit 77
    fi
done
for candidate in "${HARP:-}" "$root/target/release/harp" "$root/target/debug/harp" harp; do
    if [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1; then
        harp=$candidate
        break
    fi
done
if [ -z "${harp:-}" ]; then
    echo "harp is not built: run 'cargo build' first" >&2
    exit 2
fi
path=${1:-$root/examples/digits}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- "$root"/rules/*/rules/*.dl
case "$(souffle --version 2>&1)" in
    *"64"*) ;;
    *) echo "note: this Soufflé may have numbers of 32 bits" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$harp" facts "$path" --output "$work/facts" >/dev/null

failed=0
for rules in "$@"; do
    name=$(basename "$rules" .dl)
    mkdir -p "$work/$name/harp" "$work/$name/souffle"
    if ! python3 "$root/tests/souffle/compare.py" program "$work/facts/schema.dl" "$rules" "$work/$name"; then
        echo "$name: passed over"
        continue
    fi
    if ! souffle --fact-dir "$work/facts" --output-dir "$work/$name/souffle" "$work/$name/program.dl" 2>"$work/$name/messages"; then
        echo "$name: Soufflé does not accept it:"
        cat "$work/$name/messages"
        failed=1
        continue
    fi
    while IFS="$(printf '\t')" read -r relation query; do
        "$harp" query "$query" "$path" --format csv --limit 0 >"$work/$name/harp/$relation.csv"
        python3 "$root/tests/souffle/compare.py" rows "$name.$relation" \
            "$work/$name/harp/$relation.csv" "$work/$name/souffle/$relation.csv" || failed=1
    done <"$work/$name/queries"
done
exit $failed
