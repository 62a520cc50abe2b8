#!/bin/sh
# A package in a clean Debian, as root: `npm run package && sh test/peers/package.by-hand.sh`. It needs mmdebstrap and
# Debian's packages. Installed, started, asked by curl and radclient, backed up, installed again, removed and purged.
set -eu
package=$(ls -t dist/tollgate_*_"$(dpkg --print-architecture)".deb | head -n 1)
clean=$(mktemp -d)
trap 'rm -rf "$clean"' EXIT
mmdebstrap --quiet --variant=minbase --include=adduser,util-linux,procps,curl,freeradius-utils bookworm "$clean"
cp "$package" "$clean/root/tollgate.deb"
cat > "$clean/root/try.sh" <<'TRY'
set -eu
mount -t proc proc /proc
export DEBIAN_FRONTEND=noninteractive
dpkg -i /root/tollgate.deb
printf 'TOLLGATE_RADIUS_HOST=127.0.0.1\nTOLLGATE_ADMIN_PASSWORD=a-clean-machine\n' >> /etc/tollgate/tollgate.env
tollgate serve > /root/log 2>&1 &
until grep -q '"ready"' /root/log; do kill -0 $!; sleep 0.2; done
B=http://127.0.0.1:8080
H=$(curl -sf "$B/admin/?api=1&username=admin&password=a-clean-machine&format=json" | sed 's/.*: *"\(.*\)".*/\1/')
api() { curl -sf -o /dev/null "$B/rest_api/v2/$1/" -H "X-Session-Hash: $H" -H 'Content-Type: application/json' -d "$2"; }
api Nas '{"name":"bras","ip":"127.0.0.1","secret":"testing123"}'
api Tarif '{"name":"Home 100","price":5000000000000}'
api Abonents '{"name":"Ivan","contract_number":"000001","tarif":1}'
api Users '{"abonent":1,"login":"ivan","password":"secret","ip":"10.0.0.5"}'
echo 'User-Name=ivan,User-Password=secret,Message-Authenticator=0x00' | radclient -x 127.0.0.1:1812 auth testing123 | grep 'Received Access-Accept'
curl -sf -o /dev/null -H "Cookie: sessionid=$H" -H 'Accept: text/html' "$B/admin/"
tollgate doctor > /root/found
cat /root/found
grep -q 'NAS that never spoke: Every enabled NAS has been heard' /root/found
tollgate backup /var/lib/tollgate/one.tar
pkill -TERM -f 'main.js serve'
wait
dpkg -i /root/tollgate.deb
grep -q a-clean-machine /etc/tollgate/tollgate.env
dpkg -r tollgate
test -d /var/lib/tollgate/postgres && test ! -e /usr/bin/tollgate
dpkg -P tollgate
test ! -e /var/lib/tollgate && test ! -e /etc/tollgate && ! getent passwd tollgate
echo 'Installed, used, installed again, removed and purged.'
TRY
unshare --mount --net --pid --fork --kill-child sh -c "ip link set lo up; exec chroot '$clean' sh /root/try.sh"
