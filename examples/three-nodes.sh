#!/usr/bin/env bash
# Three servers that share a Postgres: examples/three-nodes.sh
#
# They take the ports from that of TIDEMILL_HTTP (8080) on; a port that is taken is left out. Any of them takes any
# request; kill one, and the others go on with its work. Without TIDEMILL_STORE they get a Postgres of their own. Ctrl-C
# stops all of it.
set -euo pipefail
[ -n "${TIDEMILL_STORE:-}" ] || exec "$(dirname "$0")/postgres.sh" "$0"

# The servers know each other by a secret. Who runs them on several machines gives all of them the same.
export TIDEMILL_CLUSTER_SECRET=${TIDEMILL_CLUSTER_SECRET:-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')}

is_busy() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
port=${TIDEMILL_HTTP:-:8080}
port=${port##*:}
servers=()
trap 'kill -TERM "${servers[@]}" 2>/dev/null || true' INT TERM EXIT

for number in 1 2 3; do
    while is_busy "$port"; do port=$((port + 1)); done
    # In a schema of their own, because the number of partitions is fixed when the first server makes the tables.
    tidemill serve --http "127.0.0.1:$port" --schema three_nodes --partitions 6 &
    servers+=($!)
    for _ in $(seq 100); do
        tidemill admin nodes --url "http://127.0.0.1:$port" >/dev/null 2>&1 && break
        kill -0 "${servers[-1]}" 2>/dev/null || exit 1
        sleep 0.1
    done
    echo "server $number: http://127.0.0.1:$port (process ${servers[-1]})"
    port=$((port + 1))
done
echo "all three are ready"
for server in "${servers[@]}"; do
    # A signal ends the wait, not the servers: they hand their partitions over first.
    while kill -0 "$server" 2>/dev/null; do wait "$server" || true; done
done
