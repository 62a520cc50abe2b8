/** Where FreeRADIUS and Tollgate are (here) and hostapd is (there), and their ports. */
export type Place = {
  here: string
  there: string
  auth: number
  acct: number
  proxyAuth: number
  proxyAcct: number
  das: number
}

/** PAP or MS-CHAP v2 is within the tunnel. */
export type Method = 'TTLS' | 'PEAP'

export const secret = 'testing123'

/** The tunnel ends here; its password, and all accounting, go to Tollgate. */
export function freeradius(folder: string, { here, there, ...ports }: Place): string {
  const home = (type: 'auth' | 'acct', port: number) => `
home_server ${type} {
  type = ${type}
  ipaddr = ${here}
  port = ${port}
  src_ipaddr = ${here}
  secret = ${secret}
  status_check = none
}
home_server_pool ${type} {
  home_server = ${type}
}`
  const listen = (type: string, port: number) => `
  listen {
    type = ${type}
    ipaddr = ${here}
    port = ${port}
  }`
  const forward = 'update control { &Proxy-To-Realm := "tollgate" }'
  return `
libdir = /usr/lib/freeradius
logdir = ${folder}
run_dir = ${folder}
db_dir = ${folder}
security {
  allow_core_dumps = no
}
proxy server {
  default_fallback = no
}
${home('auth', ports.auth)}
${home('acct', ports.acct)}
realm tollgate {
  auth_pool = auth
  acct_pool = acct
  nostrip
}
client switch {
  ipaddr = ${there}
  secret = ${secret}
}
thread pool {
  start_servers = 1
}
modules {
  always ok {
    rcode = ok
  }
  eap {
    default_eap_type = ttls
    tls-config tunnel {
      private_key_file = ${folder}/key.pem
      certificate_file = ${folder}/certificate.pem
      ecdh_curve = prime256v1
    }
    ttls {
      tls = tunnel
      copy_request_to_tunnel = yes
      use_tunneled_reply = yes
      virtual_server = within
    }
    peap {
      tls = tunnel
      default_eap_type = mschapv2
      copy_request_to_tunnel = yes
      use_tunneled_reply = yes
      proxy_tunneled_request_as_eap = no
      virtual_server = within
    }
    mschapv2 {
    }
  }
  mschap {
  }
}
server default {${listen('auth', ports.proxyAuth)}${listen('acct', ports.proxyAcct)}
  authorize {
    eap
  }
  authenticate {
    eap
  }
  preacct {
    ${forward}
  }
  accounting {
    ok
  }
  post-proxy {
    eap
  }
}
server within {
  authorize {
    ${forward}
  }
  authenticate {
    Auth-Type MS-CHAP {
      mschap
    }
    eap
  }
  post-proxy {
    eap
  }
}
`
}

/** As of a wireless client, the accounting of hostapd has a NAS-Port, and its accounting comes every second. */
export const hostapd = (folder: string, { here, there, das, proxyAuth, proxyAcct }: Place): string => `
interface=port
driver=wired
ctrl_interface=${folder}/hostapd
logger_stdout=-1
logger_stdout_level=2
ieee8021x=1
use_pae_group_addr=1
own_ip_addr=${there}
nas_identifier=switch
auth_server_addr=${here}
auth_server_port=${proxyAuth}
auth_server_shared_secret=${secret}
acct_server_addr=${here}
acct_server_port=${proxyAcct}
acct_server_shared_secret=${secret}
radius_acct_interim_interval=1
radius_acct_req_attr=5:d:7
radius_das_port=${das}
radius_das_client=${here} ${secret}
`

/** The name outside the tunnel is nobody's. */
export const supplicant = (folder: string, method: Method, password: string): string => `
ctrl_interface=${folder}/supplicant
ap_scan=0
network={
  key_mgmt=IEEE8021X
  eapol_flags=0
  eap=${method}
  anonymous_identity="anonymous"
  identity="ivan"
  password="${password}"
  phase2="${method === 'TTLS' ? 'auth=PAP' : 'auth=MSCHAPV2'}"
}
`
