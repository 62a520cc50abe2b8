#!/bin/sh
# The image of the Containerfile, as root: `npm run package && sh test/peers/container.by-hand.sh`. It needs buildah, crun,
# mmdebstrap, curl, freeradius-utils and Debian's packages. The image is built on a Debian made here, because no registry is
# asked, and run without rights and with a root that cannot be written, as `podman run --read-only --cap-drop all` does.
set -eu
base=localhost/tollgate-base
image=localhost/tollgate
work=$(mktemp -d /var/tmp/tollgate-image-XXXXXX)
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
cleanUp() {
  crun delete --force "tollgate-$$" 2>/dev/null || true
  [ -z "${from:-}" ] || buildah rm "$from" >/dev/null 2>&1 || true
  [ -z "${run:-}" ] || buildah rm "$run" >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap cleanUp EXIT

from=$(buildah from scratch)
mmdebstrap --quiet --variant=minbase bookworm "$(buildah mount "$from")"
buildah commit --quiet "$from" "$base" >/dev/null
buildah build --quiet --format docker --build-arg "BASE=$base" --tag "$image" . >/dev/null
buildah images --format '{{.Name}} {{.Size}}' --filter "reference=$image"
buildah images --format '{{.Name}} {{.Size}}' --filter "reference=$base"
buildah inspect --type image --format '{{.Docker.Config.Healthcheck.Test}} {{.Docker.Config.User}} {{.Docker.Config.Entrypoint}} {{.Docker.Config.Cmd}}' "$image"

run=$(buildah from --pull-never "$image")
root=$(buildah mount "$run")
mkdir "$work/data"
chown 1812:1812 "$work/data"
chmod 700 "$work/data"
cat > "$work/config.json" <<CONFIG
{
  "ociVersion": "1.0.2",
  "root": { "path": "$root", "readonly": true },
  "hostname": "tollgate",
  "process": {
    "user": { "uid": 1812, "gid": 1812 },
    "args": ["/usr/bin/tollgate", "serve"],
    "env": ["PATH=/usr/bin:/bin", "TOLLGATE_DATA_DIR=/data", "TOLLGATE_RADIUS_HOST=127.0.0.1", "TOLLGATE_ADMIN_PASSWORD=a-clean-machine"],
    "cwd": "/data",
    "noNewPrivileges": true,
    "capabilities": {}
  },
  "mounts": [
    { "destination": "/proc", "type": "proc", "source": "proc" },
    { "destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "mode=755"] },
    { "destination": "/dev/shm", "type": "tmpfs", "source": "shm", "options": ["nosuid", "nodev", "mode=1777"] },
    { "destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid", "nodev", "mode=1777"] },
    { "destination": "/data", "type": "bind", "source": "$work/data", "options": ["rbind", "rw"] }
  ],
  "linux": { "namespaces": [{ "type": "pid" }, { "type": "mount" }, { "type": "ipc" }, { "type": "uts" }] }
}
CONFIG
cat > "$work/try.sh" <<'TRY'
set -eu
ip link set lo up
# crun knows version 2 of control groups alone, whatever else this machine has.
mount -t cgroup2 none /sys/fs/cgroup
B=http://127.0.0.1:8080
start() {
  began=$(date +%s%N)
  : > "$work/log"
  crun --cgroup-manager disabled run --bundle "$work" "$name" > "$work/log" 2>&1 &
  until grep -q '"ready"' "$work/log"; do kill -0 $! || { cat "$work/log"; exit 1; }; sleep 0.1; done
  echo "Ready after $(( ($(date +%s%N) - began) / 1000000 )) ms."
}
inside() { crun --cgroup-manager disabled exec --user 1812:1812 "$name" "$@"; }
ask() { echo 'User-Name=ivan,User-Password=secret,Message-Authenticator=0x00' | radclient -x 127.0.0.1:1812 auth testing123 | grep 'Received Access-Accept'; }
# Its status is that of `crun run`, which is that of the program.
stop() { crun --cgroup-manager disabled kill "$name" TERM; wait $!; grep -q '"stopped"' "$work/log"; }

start
curl -sf "$B/healthz"
curl -sf "$B/readyz"
inside /usr/lib/tollgate/bin/node /usr/lib/tollgate/bin/healthy.js
! inside /bin/sh -c 'touch /usr/lib/tollgate/written' 2>/dev/null
H=$(curl -sf "$B/admin/?api=1&username=admin&password=a-clean-machine&format=json" | sed 's/.*: *"\(.*\)".*/\1/')
api() { curl -sf -o /dev/null "$B/rest_api/v2/$1/" -H "X-Session-Hash: $H" -H 'Content-Type: application/json' -d "$2"; }
api Nas '{"name":"bras","ip":"127.0.0.1","secret":"testing123"}'
api Tarif '{"name":"Home 100","price":5000000000000}'
api Abonents '{"name":"Ivan","contract_number":"000001","tarif":1}'
api Users '{"abonent":1,"login":"ivan","password":"secret","ip":"10.0.0.5"}'
ask
inside /usr/bin/tollgate doctor
stop
start
ask
stop
echo 'Built, started, asked, stopped and started again with its data.'
TRY
work=$work name=tollgate-$$ unshare --net --mount sh "$work/try.sh"
