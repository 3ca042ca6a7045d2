#!/usr/bin/env bash
# Prints how many instructions a character costs, by profile, text and chunk: a figure that does not depend on what else the
# machine does. Needs valgrind. Run twice with different lengths, so that making the text counts for nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
cargo build --quiet --release --package ouro-detect --example cost
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "${CARGO_TARGET_DIR:-target}/release/examples/cost" "$@" 2>&1 |
        sed -n 's/.*Collected : //p'
}
for profile in adaptive gemini-cli; do
    for text in prose chinese emoji changed shifted counted short fences pairs; do
        for size in 4 20 200; do
            once=$(count "$profile" "$size" 1 "$text")
            twice=$(count "$profile" "$size" 2 "$text")
            printf '%-10s %-7s chunks of %3d: %3d instructions a character\n' \
                "$profile" "$text" "$size" $(((twice - once) / 200000))
        done
    done
done
