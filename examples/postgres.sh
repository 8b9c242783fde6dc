#!/usr/bin/env bash
# Runs a command with a Postgres of its own: examples/postgres.sh tidemill serve
#
# The command finds it by TIDEMILL_STORE. The data lies in ./tidemill-postgres (or $TIDEMILL_POSTGRES) and is there
# again the next time; Postgres itself ends with the command. For trying things out: who has a Postgres already names
# it with `tidemill serve --store postgres://USER@HOST/DATABASE`.
set -euo pipefail
[ $# -gt 0 ] || { echo "usage: $0 COMMAND [ARGUMENT...], such as: $0 tidemill serve" >&2; exit 2; }

home=$(realpath -m "${TIDEMILL_POSTGRES:-tidemill-postgres}")
programs=$(dirname "$(command -v postgres || ls -d /usr/lib/postgresql/*/bin/postgres 2>/dev/null | sort -V | tail -1)")
[ -x "$programs/initdb" ] || {
    echo "Expected Postgres 13 or later, but found none: install it, on Debian by 'apt-get install postgresql'" >&2
    exit 1
}

# Postgres refuses to run as root, so root runs it as the user that the package has made. Files of the user 'postgres'
# cannot lie in a directory that is closed to it.
as_user() { "$@"; }
if [ "$(id -u)" = 0 ]; then
    as_user() { setpriv --reuid=postgres --regid=postgres --clear-groups -- "$@"; }
    mkdir -p "$home" && chown postgres: "$home"
    as_user test -w "$home" || {
        echo "Expected the user postgres to be able to write to $home; name another place by TIDEMILL_POSTGRES" >&2
        exit 1
    }
fi

is_busy() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
port=${TIDEMILL_POSTGRES_PORT:-54321}
while is_busy "$port"; do port=$((port + 1)); done

[ -e "$home/PG_VERSION" ] || (cd / && as_user "$programs/initdb" -D "$home" -U tidemill -A trust -E UTF8 >/dev/null)
cd_and_run() { cd / && as_user "$programs/pg_ctl" -D "$home" -l "$home/log" -w "$@" >/dev/null; }
(cd_and_run -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=''" start) || {
    echo "Postgres did not start; $home/log says why" >&2
    exit 1
}
trap '(cd_and_run -m fast stop)' EXIT

export TIDEMILL_STORE=postgres://tidemill@127.0.0.1:$port/postgres
echo "Postgres runs on port $port, its data is in $home"
# Ctrl-C reaches the command too: it stops first, then Postgres does.
trap 'kill -TERM "$command" 2>/dev/null || true' INT TERM
"$@" &
command=$!
while kill -0 "$command" 2>/dev/null; do wait "$command" || status=$?; done
exit "${status:-0}"
