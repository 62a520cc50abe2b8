#!/usr/bin/env node
// Status 0 when the program that has the same environment answers at /healthz, otherwise 1: the health check of a container. It asks by
// itself, since an image has no curl, and loads nothing of the program, since it is asked every half a minute.
import { request as plain } from 'node:http'
import { request as secure } from 'node:https'

const {
  TOLLGATE_HTTP_HOST: host = '127.0.0.1',
  TOLLGATE_HTTP_PORT: port = '8080',
  TOLLGATE_TLS_CERT: cert,
} = process.env
const own = { '0.0.0.0': '127.0.0.1', '::': '::1' }
const ask = cert ? secure : plain
// A certificate is for the name by which clients call, and this is no client.
const options = { host: own[host] ?? host, port, path: '/healthz', timeout: 4_000, rejectUnauthorized: false }

const fail = (reason) => {
  process.stderr.write(`${reason}\n`)
  process.exit(1)
}

const asked = ask(options, ({ statusCode }) =>
  statusCode === 200 ? process.exit(0) : fail(`Tollgate answers ${statusCode}.`),
)
asked.on('timeout', () => fail('Tollgate does not answer.'))
asked.on('error', ({ message }) => fail(message))
asked.end()
