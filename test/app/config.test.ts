import { availableParallelism, hostname } from 'node:os'
import { resolve } from 'node:path'
import t from 'tap'
import { readConfig } from '../../src/app/config.ts'

const configOf = (env: Record<string, string>) => {
  const reading = readConfig(env)
  if ('problems' in reading) throw new Error(reading.problems.join('\n'))
  return reading.config
}
const problemsOf = (env: Record<string, string>) => {
  const reading = readConfig(env)
  return 'problems' in reading ? reading.problems : []
}

t.test('an empty environment means the defaults of the contract', async (t) => {
  t.strictSame(configOf({ PATH: '/bin', TOLLGATE_SMS_URL: '' }), {
    dataDir: resolve('data'),
    databaseUrl: null,
    node: hostname(),
    role: 'full',
    readUrl: null,
    http: { host: '127.0.0.1', port: 8080, server: 'auto', publicUrl: null, tls: null, trustProxy: [] },
    radius: { host: '0.0.0.0', authPort: 1812, acctPort: 1813, workers: availableParallelism(), udp: 'auto' },
    metrics: { host: '127.0.0.1', port: 9464 },
    secretKey: null,
    oldSecretKey: null,
    firstStaff: { username: 'admin', password: null },
    outgoing: { sms: null, fcm: null, smtp: null },
    privateAddresses: [],
    traces: null,
    logLevel: 'info',
    settings: {},
  })
})

t.test('every variable arrives typed', async (t) => {
  t.strictSame(
    configOf({
      TOLLGATE_DATA_DIR: '/var/lib/tollgate',
      TOLLGATE_NODE: 'tower-1',
      DATABASE_URL: 'postgres://u:p@db.example/tollgate?sslmode=require',
      TOLLGATE_HTTP_HOST: '::',
      TOLLGATE_HTTP_PORT: '443',
      TOLLGATE_HTTP_SERVER: 'node',
      TOLLGATE_PUBLIC_URL: 'https://billing.example/',
      TOLLGATE_TLS_CERT: '/etc/cert.pem',
      TOLLGATE_TLS_KEY: '/etc/key.pem',
      TOLLGATE_TRUST_PROXY: '10.0.0.0/8, 192.0.2.1 ::1/128',
      TOLLGATE_RADIUS_HOST: '192.0.2.7',
      TOLLGATE_RADIUS_AUTH_PORT: '0',
      TOLLGATE_RADIUS_ACCT_PORT: '0',
      TOLLGATE_RADIUS_WORKERS: '3',
      TOLLGATE_RADIUS_UDP: 'dgram',
      TOLLGATE_METRICS_HOST: 'localhost',
      TOLLGATE_METRICS_PORT: '0',
      TOLLGATE_SECRET_KEY: '0123456789abcdef',
      TOLLGATE_SECRET_KEY_OLD: 'fedcba9876543210',
      TOLLGATE_ADMIN_USER: 'root',
      TOLLGATE_ADMIN_PASSWORD: 'secret',
      TOLLGATE_SMS_URL: 'https://sms.example/send?to={phone}',
      TOLLGATE_SMS_METHOD: 'POST',
      TOLLGATE_SMS_BODY: 'text={text}',
      TOLLGATE_SMS_HEADERS: '{"Authorization": "Bearer 1"}',
      TOLLGATE_SMS_ACCEPTED: '^OK',
      TOLLGATE_FCM_CREDENTIALS: '/etc/fcm.json',
      TOLLGATE_FCM_URL: 'http://127.0.0.1:9',
      TOLLGATE_SMTP_URL: 'smtp://user:word@mail.example:587',
      TOLLGATE_MAIL_FROM: 'Provider <billing@isp.example>',
      TOLLGATE_ALLOW_PRIVATE_ADDRESSES: '10.1.0.0/16, fd00::/8',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20key, team=isp',
      OTEL_TRACES_SAMPLER_ARG: '0.01',
      TOLLGATE_LOG_LEVEL: 'debug',
      TOLLGATE_SETTING_TIME_ZONE: 'Asia/Tomsk',
    }),
    {
      dataDir: '/var/lib/tollgate',
      databaseUrl: 'postgres://u:p@db.example/tollgate?sslmode=require',
      node: 'tower-1',
      role: 'full',
      readUrl: null,
      http: {
        host: '::',
        port: 443,
        server: 'node',
        publicUrl: 'https://billing.example',
        tls: { certFile: '/etc/cert.pem', keyFile: '/etc/key.pem' },
        trustProxy: ['10.0.0.0/8', '192.0.2.1', '::1/128'],
      },
      radius: { host: '192.0.2.7', authPort: 0, acctPort: 0, workers: 3, udp: 'dgram' },
      metrics: { host: 'localhost', port: 0 },
      secretKey: '0123456789abcdef',
      oldSecretKey: 'fedcba9876543210',
      firstStaff: { username: 'root', password: 'secret' },
      outgoing: {
        sms: {
          url: 'https://sms.example/send?to={phone}',
          method: 'POST',
          body: 'text={text}',
          headers: { Authorization: 'Bearer 1' },
          accepted: '^OK',
        },
        fcm: { credentialsFile: '/etc/fcm.json', url: 'http://127.0.0.1:9' },
        smtp: { url: 'smtp://user:word@mail.example:587', from: 'Provider <billing@isp.example>' },
      },
      privateAddresses: ['10.1.0.0/16', 'fd00::/8'],
      traces: {
        url: 'http://127.0.0.1:4318/v1/traces',
        headers: { 'api-key': 'a key', team: 'isp' },
        share: 0.01,
        service: 'tollgate',
      },
      logLevel: 'debug',
      settings: { TIME_ZONE: 'Asia/Tomsk' },
    },
  )
})

t.test('the config cannot be changed, not even deep inside', async (t) => {
  const config = configOf({})
  t.throws(() => Object.assign(config.http, { port: 1 }), TypeError)
  t.throws(() => (config.http.trustProxy as string[]).push('0.0.0.0/0'), TypeError)
})

t.test('every wrong variable is named at once, with what it must be', async (t) => {
  t.strictSame(
    problemsOf({
      DATABASE_URL: 'mysql://root:hunter2@db/x',
      TOLLGATE_HTTP_HOST: 'my host',
      TOLLGATE_HTTP_PORT: '80a',
      TOLLGATE_PUBLIC_URL: 'billing.example',
      TOLLGATE_TLS_CERT: '/etc/cert.pem',
      TOLLGATE_TRUST_PROXY: '10.0.0.0/40',
      TOLLGATE_RADIUS_WORKERS: '1.5',
      TOLLGATE_METRICS_PORT: '65536',
      TOLLGATE_SECRET_KEY: 'short',
      TOLLGATE_LOG_LEVEL: 'loud',
      TOLLGATE_SETTING_: 'x',
    }),
    [
      'DATABASE_URL is not usable, but it must look like postgres://user:password@host:5432/database; unset a PostgreSQL of its own runs in the data folder.',
      'TOLLGATE_HTTP_HOST is "my host", but it must be an IP address or a host name, such as 127.0.0.1; one that others reach needs TOLLGATE_TLS_CERT or TOLLGATE_TRUST_PROXY.',
      'TOLLGATE_HTTP_PORT is "80a", but it must be a port from 0 (any free one) to 65535.',
      'TOLLGATE_PUBLIC_URL is "billing.example", but it must be the address under which clients and gateways reach this program, and begin with http:// or https://.',
      'TOLLGATE_TRUST_PROXY is "10.0.0.0/40", but it must be a list of the addresses or networks of proxies before HTTP, with commas between, such as 10.0.0.0/8, ::1.',
      'TOLLGATE_RADIUS_WORKERS is "1.5", but it must be a number of threads from 1 to 256; unset: one for each processor.',
      'TOLLGATE_METRICS_PORT is "65536", but it must be a port from 0 (any free one) to 65535.',
      'TOLLGATE_SECRET_KEY is not usable, but it must have 16 characters or more; `openssl rand -hex 32` makes a good one; unset it is a file of the data folder.',
      'TOLLGATE_LOG_LEVEL is "loud", but it must be one of debug, info, warn, error.',
      'TOLLGATE_TLS_CERT is set without TOLLGATE_TLS_KEY. HTTPS needs both; set the other one or remove this one.',
      "TOLLGATE_SETTING_ does not name a setting; write TOLLGATE_SETTING_ and then the setting's name in capitals, such as TOLLGATE_SETTING_TIME_ZONE.",
    ],
  )
})

t.test('open to the network means TLS or a trusted proxy', async (t) => {
  for (const host of ['0.0.0.0', '::', '192.0.2.7', 'billing.example'])
    t.match(problemsOf({ TOLLGATE_HTTP_HOST: host }), [/TOLLGATE_TLS_CERT.*TOLLGATE_TRUST_PROXY.*127\.0\.0\.1/], host)
  for (const host of ['127.0.0.1', '127.8.9.1', '::1', 'localhost'])
    t.strictSame(problemsOf({ TOLLGATE_HTTP_HOST: host }), [], host)
  t.strictSame(problemsOf({ TOLLGATE_HTTP_HOST: '0.0.0.0', TOLLGATE_TRUST_PROXY: '10.0.0.1' }), [])
  t.strictSame(problemsOf({ TOLLGATE_HTTP_HOST: '::', TOLLGATE_TLS_CERT: 'c', TOLLGATE_TLS_KEY: 'k' }), [])
})

t.test('an edge has a database that others serve, and sets nothing there', async (t) => {
  const url = 'postgres://a:b@db/x'
  t.match(configOf({ DATABASE_URL: url }), { role: 'full', readUrl: null })
  const edge = { TOLLGATE_ROLE: 'edge', DATABASE_URL: url }
  t.match(configOf({ ...edge, TOLLGATE_READ_URL: `${url}2` }), { role: 'edge', readUrl: `${url}2` })
  const refused: [env: Record<string, string>, problem: RegExp][] = [
    [
      { TOLLGATE_ROLE: 'edge' },
      /has no database of its own\. Set DATABASE_URL to the one that the full nodes serve\.$/,
    ],
    [{ TOLLGATE_ROLE: 'tower' }, /^TOLLGATE_ROLE is "tower", but it must be full, or edge for a node beside NAS/],
    [{ DATABASE_URL: url, TOLLGATE_READ_URL: `${url}2` }, /^TOLLGATE_READ_URL is set, and only an edge reads from/],
    [{ ...edge, TOLLGATE_READ_URL: url }, /^TOLLGATE_READ_URL is the same as DATABASE_URL\./],
    [
      { ...edge, TOLLGATE_SETTING_TIME_ZONE: 'UTC' },
      /^TOLLGATE_SETTING_TIME_ZONE is set on an edge, which sets nothing/,
    ],
  ]
  for (const [env, problem] of refused) t.match(problemsOf(env), [problem])
})

t.test('two listeners on one port are found before they collide', async (t) => {
  t.match(problemsOf({ TOLLGATE_RADIUS_AUTH_PORT: '1813' }), [/AUTH_PORT and TOLLGATE_RADIUS_ACCT_PORT are both 1813/])
  t.match(problemsOf({ TOLLGATE_METRICS_PORT: '8080' }), [/HTTP_PORT and TOLLGATE_METRICS_PORT are both 8080/])
})

t.test('providers of messages are checked, and their passwords are not shown', async (t) => {
  t.strictSame(
    problemsOf({
      TOLLGATE_SMS_URL: 'sms.example/send?password=hunter2',
      TOLLGATE_SMS_METHOD: 'DELETE',
      TOLLGATE_SMS_HEADERS: '{"Authorization": ["hunter2"]}',
      TOLLGATE_SMS_ACCEPTED: '(',
      TOLLGATE_SMTP_URL: 'http://user:hunter2@mail.example',
      TOLLGATE_MAIL_FROM: 'Provider',
    }),
    [
      'TOLLGATE_SMS_URL is not usable, but it must be the address of an SMS gateway that begins with http:// or https://; {phone}, {text} and {id} are put in.',
      'TOLLGATE_SMS_METHOD is "DELETE", but it must be GET, POST or PUT; unset it is POST when there is a body, else GET.',
      'TOLLGATE_SMS_HEADERS is not usable, but it must be a JSON object of headers for the SMS gateway, such as {"Authorization": "Bearer …"}.',
      'TOLLGATE_SMS_ACCEPTED is "(", but it must be a regular expression that the answer of the SMS gateway matches when it took a message; unset any 2xx means so.',
      'TOLLGATE_SMTP_URL is not usable, but it must look like smtp://user:password@host:587 or smtps://user:password@host:465.',
      'TOLLGATE_MAIL_FROM is "Provider", but it must be the sender of e-mails, such as Provider <billing@isp.example>.',
    ],
  )
  t.strictSame(problemsOf({ TOLLGATE_SMS_BODY: 'x', TOLLGATE_FCM_URL: 'https://x.y', TOLLGATE_MAIL_FROM: 'a@b.c' }), [
    'TOLLGATE_SMS_BODY is set without TOLLGATE_SMS_URL and would do nothing. Set TOLLGATE_SMS_URL too, or remove TOLLGATE_SMS_BODY.',
    'TOLLGATE_FCM_URL is set without TOLLGATE_FCM_CREDENTIALS and would do nothing. Set TOLLGATE_FCM_CREDENTIALS too, or remove TOLLGATE_FCM_URL.',
    'TOLLGATE_MAIL_FROM is set without TOLLGATE_SMTP_URL and would do nothing. Set TOLLGATE_SMTP_URL too, or remove TOLLGATE_MAIL_FROM.',
  ])
})

t.test('a proxy that was forgotten is a warning', async (t) => {
  const warningsOf = (env: Record<string, string>) => {
    const reading = readConfig(env)
    return 'warnings' in reading ? reading.warnings : reading.problems
  }
  const TOLLGATE_PUBLIC_URL = 'https://billing.example'
  t.match(warningsOf({ TOLLGATE_PUBLIC_URL }), [/Name it in TOLLGATE_TRUST_PROXY/])
  t.match(warningsOf({ TOLLGATE_PUBLIC_URL: 'https://127.0.0.1' }), [/Name it in TOLLGATE_TRUST_PROXY/])
  t.same(warningsOf({ TOLLGATE_PUBLIC_URL, TOLLGATE_TRUST_PROXY: '127.0.0.1' }), [])
  t.same(warningsOf({ TOLLGATE_PUBLIC_URL: 'http://localhost:8080' }), [])
  const tls = { TOLLGATE_TLS_CERT: 'cert.pem', TOLLGATE_TLS_KEY: 'key.pem', TOLLGATE_HTTP_HOST: '192.0.2.1' }
  t.same(warningsOf({ ...tls, TOLLGATE_PUBLIC_URL }), [])
})

t.test('a variable that only looks like ours is a warning', async (t) => {
  const reading = readConfig({ TOLLGATE_HTPP_PORT: '80', HOME: '/root' })
  t.match(reading, {
    warnings: ['TOLLGATE_HTPP_PORT is not a variable of Tollgate and is ignored; check its spelling.'],
  })
})
