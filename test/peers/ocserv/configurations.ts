/** What openconnect does with its device; the script of Debian would also set the name servers of this machine. */
export const tunnelScript = `#!/bin/sh
[ "$reason" = connect ] || exit 0
ip link set "$TUNDEV" up mtu "$INTERNAL_IP4_MTU"
ip address add "$INTERNAL_IP4_ADDRESS/32" dev "$TUNDEV"
ip route add 10.44.0.0/24 dev "$TUNDEV"
echo "The tunnel is open: $INTERNAL_IP4_ADDRESS"
`

/** How ocserv asks RADIUS, by radcli. `folder` has the file of servers. */
export const radcli = (folder: string, server: string, ports: { auth: number; acct: number }): string => `
nas-identifier ocserv
authserver ${server}:${ports.auth}
acctserver ${server}:${ports.acct}
servers ${folder}/servers
dictionary /etc/radcli/dictionary
default_realm
radius_timeout 2
radius_retries 10
bindaddr *
`

export const ocserv = (folder: string, address: string): string => `
auth = "radius[config=${folder}/radiusclient.conf,groupconfig=true]"
acct = "radius[config=${folder}/radiusclient.conf]"
listen-host = ${address}
tcp-port = 443
sec-mod-scale = 1
socket-file = ${folder}/ocserv.sock
occtl-socket-file = ${folder}/occtl.sock
use-occtl = true
server-cert = ${folder}/certificate.pem
server-key = ${folder}/key.pem
run-as-user = nobody
run-as-group = nogroup
device = vpns
ipv4-network = 10.44.0.0/24
ping-leases = false
`
