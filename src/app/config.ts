import { isIP } from 'node:net'
import { availableParallelism, hostname } from 'node:os'
import { resolve } from 'node:path'
import { Ajv, type ErrorObject } from 'ajv'
import Type, { type Static, type TStringOptions } from 'typebox'
import type { Outgoing } from '../billing/messages/messages.ts'
import { readNetworks } from '../platform/formats/addresses.ts'
import { transportKinds } from '../platform/http/transport.ts'
import { logLevels } from '../platform/log.ts'

/**
 * The configuration of this process: the environment, read once and frozen. Business settings are in the database.
 */
export type Config = Frozen<ReturnType<typeof configOf>>

type Frozen<T> = { readonly [Key in keyof T]: T[Key] extends object | null | undefined ? Frozen<T[Key]> : T[Key] }

export type ConfigReading =
  /** Warnings name unknown variables that begin with TOLLGATE_. */
  { config: Config; warnings: readonly string[] } | { problems: readonly string[] }

type Env = Readonly<Record<string, string | undefined>>

const port = (fallback: number) =>
  Type.Integer({ minimum: 0, maximum: 65535, default: fallback, must: 'be a port from 0 (any free one) to 65535' })
const host = (fallback: string, more = '') =>
  Type.String({ format: 'host', default: fallback, must: `be an IP address or a host name, such as 127.0.0.1${more}` })
const optional = (must: string, more: TStringOptions = {}) => Type.Optional(Type.String({ ...more, must }))
/** Never shown, not even when it is wrong. */
const secret = (must: string, more: TStringOptions = {}) => optional(must, { ...more, secret: true })

/** Contract section 2. `must` completes the sentence "<NAME> is …, but it must …". */
const variables = Type.Object({
  TOLLGATE_DATA_DIR: Type.String({ default: './data', must: 'be the path of a folder' }),
  DATABASE_URL: secret(
    'look like postgres://user:password@host:5432/database; unset a PostgreSQL of its own runs in the data folder',
    { format: 'postgres-url' },
  ),
  TOLLGATE_NODE: Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$',
    default: hostname(),
    must: 'be the name of this program among those on one DATABASE_URL, of letters, digits, dots and dashes',
  }),
  TOLLGATE_ROLE: Type.Enum(['full', 'edge'], {
    default: 'full',
    must: 'be full, or edge for a node beside NAS that has RADIUS and nothing of the office',
  }),
  TOLLGATE_READ_URL: secret(
    'look like postgres://user:password@host:5432/database, and lead to a streaming standby that an edge reads from; unset it reads from DATABASE_URL',
    { format: 'postgres-url' },
  ),
  TOLLGATE_HTTP_HOST: host('127.0.0.1', '; one that others reach needs TOLLGATE_TLS_CERT or TOLLGATE_TRUST_PROXY'),
  TOLLGATE_HTTP_PORT: port(8080),
  TOLLGATE_HTTP_SERVER: Type.Enum([...transportKinds], {
    default: 'auto',
    must: 'be auto (uWebSockets.js where it has a binary for this Node.js, else node:http), uws or node',
  }),
  TOLLGATE_PUBLIC_URL: optional(
    'be the address under which clients and gateways reach this program, and begin with http:// or https://',
    { format: 'web-url' },
  ),
  TOLLGATE_TLS_CERT: optional('be the path of a PEM file with the certificate of HTTPS and its chain'),
  TOLLGATE_TLS_KEY: optional('be the path of the PEM file with the key of TOLLGATE_TLS_CERT'),
  TOLLGATE_TRUST_PROXY: optional(
    'be a list of the addresses or networks of proxies before HTTP, with commas between, such as 10.0.0.0/8, ::1',
    { format: 'networks' },
  ),
  TOLLGATE_RADIUS_HOST: host('0.0.0.0'),
  TOLLGATE_RADIUS_AUTH_PORT: port(1812),
  TOLLGATE_RADIUS_ACCT_PORT: port(1813),
  TOLLGATE_RADIUS_WORKERS: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 256,
      must: 'be a number of threads from 1 to 256; unset: one for each processor',
    }),
  ),
  TOLLGATE_RADIUS_UDP: Type.Enum(['auto', 'dgram'], {
    default: 'auto',
    must: 'be auto (in batches by the compiled addon, else through node:dgram) or dgram',
  }),
  TOLLGATE_DICTIONARY_DIR: optional(
    "be the path of a folder of RADIUS dictionaries in FreeRADIUS's format; unset it is `dictionaries` in the data folder",
  ),
  TOLLGATE_METRICS_HOST: host('127.0.0.1'),
  TOLLGATE_METRICS_PORT: port(9464),
  TOLLGATE_SECRET_KEY: secret(
    'have 16 characters or more; `openssl rand -hex 32` makes a good one; unset it is a file of the data folder',
    { minLength: 16 },
  ),
  TOLLGATE_SECRET_KEY_OLD: secret('be what TOLLGATE_SECRET_KEY was until now', { minLength: 16 }),
  TOLLGATE_ADMIN_USER: Type.String({
    maxLength: 150,
    default: 'admin',
    must: 'be the name of the first staff user, made while there is none, and have at most 150 characters',
  }),
  TOLLGATE_ADMIN_PASSWORD: secret(
    'be the password of that user, and have at most 256 characters; unset one is made and shown once at the start',
    { maxLength: 256 },
  ),
  TOLLGATE_SMS_URL: secret(
    'be the address of an SMS gateway that begins with http:// or https://; {phone}, {text} and {id} are put in',
    { format: 'web-url' },
  ),
  TOLLGATE_SMS_METHOD: Type.Optional(
    Type.Enum(['GET', 'POST', 'PUT'], { must: 'be GET, POST or PUT; unset it is POST when there is a body, else GET' }),
  ),
  TOLLGATE_SMS_BODY: secret(
    'be what is sent to the SMS gateway, with {phone}, {text} and {id}; unset and with no placeholder in the address it is JSON',
  ),
  TOLLGATE_SMS_HEADERS: secret(
    'be a JSON object of headers for the SMS gateway, such as {"Authorization": "Bearer …"}',
    { format: 'headers' },
  ),
  TOLLGATE_SMS_ACCEPTED: optional(
    'be a regular expression that the answer of the SMS gateway matches when it took a message; unset any 2xx means so',
    { format: 'regex' },
  ),
  TOLLGATE_FCM_CREDENTIALS: optional('be the path of the JSON file of a service account for pushes by Firebase'),
  TOLLGATE_FCM_URL: optional(
    'be an address that begins with http:// or https://, in place of https://fcm.googleapis.com',
    { format: 'web-url' },
  ),
  TOLLGATE_SMTP_URL: secret('look like smtp://user:password@host:587 or smtps://user:password@host:465', {
    format: 'smtp-url',
  }),
  TOLLGATE_MAIL_FROM: optional('be the sender of e-mails, such as Provider <billing@isp.example>', {
    format: 'sender',
  }),
  TOLLGATE_ALLOW_PRIVATE_ADDRESSES: optional(
    'be a list of private addresses or networks with commas between that gateways, receipts, SMS and mail may be sent to, such as 10.1.2.3, fd00::/8; unset: public addresses only',
    { format: 'networks' },
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    'be the address of an OpenTelemetry collector that takes OTLP over HTTP, such as http://127.0.0.1:4318; unset nothing is traced',
    { format: 'web-url' },
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(
    'be the whole address for traces, where that is not /v1/traces of OTEL_EXPORTER_OTLP_ENDPOINT',
    { format: 'web-url' },
  ),
  OTEL_EXPORTER_OTLP_HEADERS: secret(
    'be a list of headers for the collector with commas between, such as api-key=value',
    { format: 'listed-headers' },
  ),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    minimum: 0,
    maximum: 1,
    default: 1,
    must: 'be a number from 0 to 1: how much of what begins here is traced',
  }),
  OTEL_SERVICE_NAME: Type.String({ default: 'tollgate', must: 'be the name of this program among those traced' }),
  TOLLGATE_LOG_LEVEL: Type.Enum([...logLevels], { default: 'info', must: `be one of ${logLevels.join(', ')}` }),
})

type Variables = Static<typeof variables>

/** Every variable with what it must be and its default, for the help. */
export const variableRows = (): (readonly [string, string])[] =>
  Object.entries(variables.properties).map(([name, schema]) => {
    const { must, default: fallback } = schema as { must?: string; default?: unknown }
    return [name, `must ${must}${fallback === undefined ? '' : ` (default ${fallback})`}`]
  })

const settingPrefix = 'TOLLGATE_SETTING_'

/** The schema is ours and typed: to check it first would take longer than all else that a small command does. */
const trusted = { meta: false, validateSchema: false } as const
const check = new Ajv({ allErrors: true, coerceTypes: true, useDefaults: true, verbose: true, ...trusted })
  .addVocabulary(['must', 'secret'])
  .addFormat('host', isHost)
  .addFormat('web-url', (text) => isUrl(text, ['http:', 'https:']))
  .addFormat('postgres-url', (text) => isUrl(text, ['postgres:', 'postgresql:']))
  .addFormat('smtp-url', (text) => isUrl(text, ['smtp:', 'smtps:']))
  .addFormat('sender', (text) => /^([^<>\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/.test(text))
  .addFormat('headers', (text) => headersOf(text) !== null)
  .addFormat('listed-headers', (text) => listedHeaders(text) !== null)
  .addFormat('regex', isPattern)
  .addFormat('networks', isNetworkList)
  .compile(variables)

/** Pure. Every wrong variable is named at once, each in a sentence that says what to do. */
export function readConfig(env: Env): ConfigReading {
  const names = Object.keys(variables.properties)
  // An empty variable counts as not set: compose files and systemd units pass such ones.
  const set = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '',
  )
  // The check works in place: it fills in defaults and converts numbers; wrong values stay as they were written.
  const values = Object.fromEntries(set.filter(([name]) => names.includes(name))) as unknown as Variables
  const settings = set.filter(([name]) => name.startsWith(settingPrefix))
  const problems = new Set<string>()
  if (!check(values)) for (const error of check.errors ?? []) problems.add(problemOf(error))
  for (const problem of contradictions(values)) problems.add(problem)
  for (const problem of contradictionsOfEdge(values, settings)) problems.add(problem)
  for (const [name] of settings) if (isBadSettingName(name)) problems.add(settingProblem(name))
  if (problems.size > 0) return { problems: [...problems] }
  const warnings = set
    .map(([name]) => name)
    .filter((name) => name.startsWith('TOLLGATE_') && !name.startsWith(settingPrefix) && !names.includes(name))
    .map((name) => `${name} is not a variable of Tollgate and is ignored; check its spelling.`)
    .concat(forgottenProxy(values))
  const settingValues = Object.fromEntries(settings.map(([name, value]) => [name.slice(settingPrefix.length), value]))
  return { config: deepFrozen(configOf(values, settingValues)), warnings }
}

function configOf(values: Variables, settings: Readonly<Record<string, string>>) {
  const { TOLLGATE_TLS_CERT: certFile, TOLLGATE_TLS_KEY: keyFile, TOLLGATE_DICTIONARY_DIR: dictionaryDir } = values
  return {
    /** Absolute. */
    dataDir: resolve(values.TOLLGATE_DATA_DIR),
    /** A PostgreSQL of the operator's own; null: the embedded one under dataDir. */
    databaseUrl: values.DATABASE_URL ?? null,
    /** The name of this program among those that serve a database of the operator's own. */
    node: values.TOLLGATE_NODE,
    /** What it does there: all, or RADIUS alone. */
    role: values.TOLLGATE_ROLE,
    /** A standby that an edge reads from; null: it reads where it writes. */
    readUrl: values.TOLLGATE_READ_URL ?? null,
    http: {
      host: values.TOLLGATE_HTTP_HOST,
      /** 0 takes a free one. */
      port: values.TOLLGATE_HTTP_PORT,
      server: values.TOLLGATE_HTTP_SERVER,
      /** Without a trailing slash; null: made of scheme, host and the real port. */
      publicUrl: values.TOLLGATE_PUBLIC_URL?.replace(/\/+$/, '') ?? null,
      tls: certFile && keyFile ? { certFile: resolve(certFile), keyFile: resolve(keyFile) } : null,
      /** CIDRs of proxies whose X-Forwarded-For and -Proto are believed. */
      trustProxy: networksOf(values.TOLLGATE_TRUST_PROXY ?? ''),
    },
    radius: {
      host: values.TOLLGATE_RADIUS_HOST,
      authPort: values.TOLLGATE_RADIUS_AUTH_PORT,
      acctPort: values.TOLLGATE_RADIUS_ACCT_PORT,
      workers: values.TOLLGATE_RADIUS_WORKERS ?? availableParallelism(),
      /** auto: in batches where the addon is compiled. */
      udp: values.TOLLGATE_RADIUS_UDP,
      /** A folder of the operator's own dictionaries; unset: `dictionaries` in the data folder, where there is one. */
      ...(dictionaryDir !== undefined && { dictionaryDir: resolve(dictionaryDir) }),
    },
    metrics: { host: values.TOLLGATE_METRICS_HOST, port: values.TOLLGATE_METRICS_PORT },
    /** Null: a key is created once and kept in the data folder. */
    secretKey: values.TOLLGATE_SECRET_KEY ?? null,
    /** The key that `secretKey` replaces: the one that the stored values are sealed with. */
    oldSecretKey: values.TOLLGATE_SECRET_KEY_OLD ?? null,
    /** The staff user who is created while there is none. Without a password one is generated and shown once. */
    firstStaff: { username: values.TOLLGATE_ADMIN_USER, password: values.TOLLGATE_ADMIN_PASSWORD ?? null },
    /** Providers of outgoing messages; null: messages wait and are shown. */
    outgoing: outgoingOf(values),
    /** CIDRs of private networks that the program may connect to by itself. */
    privateAddresses: networksOf(values.TOLLGATE_ALLOW_PRIVATE_ADDRESSES ?? ''),
    /** Null: nothing is traced. */
    traces: tracesOf(values),
    logLevel: values.TOLLGATE_LOG_LEVEL,
    /** First values of settings by name, as written in TOLLGATE_SETTING_<NAME>; checked by the settings' owner. */
    settings,
  }
}

/** As OpenTelemetry's specification has it. */
function tracesOf(values: Variables) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = values
  const url = own ?? (endpoint && `${endpoint.replace(/\/+$/, '')}/v1/traces`)
  if (url === undefined) return null
  const headers = listedHeaders(values.OTEL_EXPORTER_OTLP_HEADERS ?? '') ?? {}
  return { url, headers, share: values.OTEL_TRACES_SAMPLER_ARG, service: values.OTEL_SERVICE_NAME }
}

/** `name=value` with commas between, the values percent-encoded; null: it is not that. */
function listedHeaders(text: string): Readonly<Record<string, string>> | null {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '')
  try {
    const read = pairs.map((pair) => /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(pair)!.slice(1))
    const headers = Object.fromEntries(read.map(([name, value]) => [name!, decodeURIComponent(value!)]))
    new Headers(headers)
    return headers
  } catch {
    return null
  }
}

function outgoingOf(values: Variables): Outgoing {
  const { TOLLGATE_SMS_URL: smsUrl, TOLLGATE_FCM_CREDENTIALS: fcmFile } = values
  const { TOLLGATE_SMTP_URL: smtpUrl, TOLLGATE_MAIL_FROM: from } = values
  return {
    sms:
      smsUrl === undefined
        ? null
        : {
            url: smsUrl,
            method: values.TOLLGATE_SMS_METHOD ?? null,
            body: values.TOLLGATE_SMS_BODY ?? null,
            headers: headersOf(values.TOLLGATE_SMS_HEADERS ?? '{}') ?? {},
            accepted: values.TOLLGATE_SMS_ACCEPTED ?? null,
          },
    fcm: fcmFile === undefined ? null : { credentialsFile: resolve(fcmFile), url: values.TOLLGATE_FCM_URL ?? null },
    smtp: smtpUrl === undefined || from === undefined ? null : { url: smtpUrl, from },
  }
}

/** Variables that are each right but contradict each other. */
function contradictions(values: Variables): string[] {
  const problems: string[] = []
  const { TOLLGATE_HTTP_HOST: httpHost, TOLLGATE_HTTP_PORT: httpPort } = values
  const { TOLLGATE_TLS_CERT: cert, TOLLGATE_TLS_KEY: key } = values
  if ((cert === undefined) !== (key === undefined))
    problems.push(
      `${cert ? 'TOLLGATE_TLS_CERT' : 'TOLLGATE_TLS_KEY'} is set without ${cert ? 'TOLLGATE_TLS_KEY' : 'TOLLGATE_TLS_CERT'}. HTTPS needs both; set the other one or remove this one.`,
    )
  if (isHost(httpHost) && !isLoopback(httpHost) && !(cert && key) && values.TOLLGATE_TRUST_PROXY === undefined)
    problems.push(
      `TOLLGATE_HTTP_HOST is "${httpHost}", so passwords would cross the network readable. Set TOLLGATE_TLS_CERT and TOLLGATE_TLS_KEY, or, behind a proxy that does TLS, TOLLGATE_TRUST_PROXY with the proxy's address, or listen on 127.0.0.1.`,
    )
  const { TOLLGATE_RADIUS_AUTH_PORT: authPort, TOLLGATE_RADIUS_ACCT_PORT: acctPort } = values
  if (authPort === acctPort && authPort !== 0)
    problems.push(
      `TOLLGATE_RADIUS_AUTH_PORT and TOLLGATE_RADIUS_ACCT_PORT are both ${authPort}. Give them two different ports; usual are 1812 and 1813.`,
    )
  if (httpPort === values.TOLLGATE_METRICS_PORT && httpPort !== 0 && httpHost === values.TOLLGATE_METRICS_HOST)
    problems.push(
      `TOLLGATE_HTTP_PORT and TOLLGATE_METRICS_PORT are both ${httpPort} on ${httpHost}. Give them two different ports; usual are 8080 and 9464.`,
    )
  return [...problems, ...withoutTheirCounterpart(values)]
}

/** What an edge needs, and what says something to full nodes only. */
function contradictionsOfEdge(values: Variables, settings: readonly (readonly [string, string])[]): string[] {
  const { TOLLGATE_ROLE: role, TOLLGATE_READ_URL: readUrl, DATABASE_URL: databaseUrl } = values
  if (role !== 'edge')
    return readUrl === undefined
      ? []
      : ['TOLLGATE_READ_URL is set, and only an edge reads from a standby. Remove it, or set TOLLGATE_ROLE to edge.']
  const problems: string[] = []
  if (databaseUrl === undefined)
    problems.push(
      'TOLLGATE_ROLE is edge, and an edge has no database of its own. Set DATABASE_URL to the one that the full nodes serve.',
    )
  if (readUrl !== undefined && readUrl === databaseUrl)
    problems.push('TOLLGATE_READ_URL is the same as DATABASE_URL. Let it lead to a standby, or remove it.')
  if (values.TOLLGATE_SECRET_KEY_OLD !== undefined)
    problems.push('TOLLGATE_SECRET_KEY_OLD is set on an edge. The key is changed where the full nodes are; remove it.')
  for (const [name] of settings) problems.push(`${name} is set on an edge, which sets nothing. Set it on a full node.`)
  return problems
}

/** A public address that Tollgate itself does not serve is that of a proxy. */
function forgottenProxy(values: Variables): string[] {
  const { TOLLGATE_PUBLIC_URL: publicUrl, TOLLGATE_HTTP_HOST: host, TOLLGATE_TLS_CERT: cert } = values
  if (values.TOLLGATE_TRUST_PROXY !== undefined || publicUrl === undefined) return []
  const { hostname, protocol } = new URL(publicUrl)
  const isServedHere = isLoopback(host) === isLoopback(hostname.replace(/^\[|\]$/g, ''))
  if (isServedHere && (protocol === 'https:') === (cert !== undefined)) return []
  return [
    `TOLLGATE_PUBLIC_URL is "${publicUrl}", which Tollgate does not serve itself, so a proxy must be before it. Name it in TOLLGATE_TRUST_PROXY: without that everybody has the proxy's address, wrong passwords of all count together, and the System API refuses what the proxy passes on.`,
  ]
}

/** Variables that have no effect without another one. */
const needed = {
  TOLLGATE_SECRET_KEY_OLD: 'TOLLGATE_SECRET_KEY',
  TOLLGATE_SMS_METHOD: 'TOLLGATE_SMS_URL',
  TOLLGATE_SMS_BODY: 'TOLLGATE_SMS_URL',
  TOLLGATE_SMS_HEADERS: 'TOLLGATE_SMS_URL',
  TOLLGATE_SMS_ACCEPTED: 'TOLLGATE_SMS_URL',
  TOLLGATE_FCM_URL: 'TOLLGATE_FCM_CREDENTIALS',
  TOLLGATE_SMTP_URL: 'TOLLGATE_MAIL_FROM',
  TOLLGATE_MAIL_FROM: 'TOLLGATE_SMTP_URL',
} as const satisfies Partial<Record<keyof Variables, keyof Variables>>

const withoutTheirCounterpart = (values: Variables): string[] =>
  Object.entries(needed)
    .filter(([name, other]) => values[name as keyof typeof needed] !== undefined && values[other] === undefined)
    .map(
      ([name, other]) => `${name} is set without ${other} and would do nothing. Set ${other} too, or remove ${name}.`,
    )

function problemOf(error: ErrorObject): string {
  const name = error.instancePath.slice(1)
  const { must, secret } = error.parentSchema as { must?: string; secret?: boolean }
  const shown = secret ? 'is not usable' : `is "${String(error.data)}"`
  return `${name} ${shown}, but it must ${must ?? error.message}.`
}

const isBadSettingName = (name: string) => !/^[A-Z][A-Z0-9_]*$/.test(name.slice(settingPrefix.length))

const settingProblem = (name: string) =>
  `${name} does not name a setting; write ${settingPrefix} and then the setting's name in capitals, such as ${settingPrefix}TIME_ZONE.`

/** 127.0.0.0/8, ::1 and localhost. */
export const isLoopback = (address: string): boolean =>
  address === 'localhost' || address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))

function isHost(text: string): boolean {
  return isIP(text) > 0 || /^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(text)
}

function isUrl(text: string, protocols: readonly string[]): boolean {
  const url = URL.parse(text)
  return url !== null && protocols.includes(url.protocol) && url.hostname !== ''
}

/** Null: it is not a JSON object of strings that are valid headers. */
function headersOf(text: string): Readonly<Record<string, string>> | null {
  try {
    const value: unknown = JSON.parse(text)
    new Headers(value as Record<string, string>)
    const isObject = value !== null && typeof value === 'object' && !Array.isArray(value)
    return isObject && Object.values(value).every((one) => typeof one === 'string')
      ? (value as Record<string, string>)
      : null
  } catch {
    return null
  }
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text)
    return true
  } catch {
    return false
  }
}

const networksOf = (text: string): string[] => text.split(/[\s,]+/).filter((network) => network !== '')

function isNetworkList(text: string): boolean {
  const networks = networksOf(text)
  return networks.length > 0 && !('wrong' in readNetworks(networks))
}

function deepFrozen<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (part !== null && typeof part === 'object') deepFrozen(part as object)
  return Object.freeze(value)
}
