import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { request } from 'node:https'
import { connect } from 'node:tls'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { json } from '../../../src/platform/http/reply.ts'
import { startServer } from './parts.ts'

/** A self-signed certificate of localhost, made for this test alone. */
const cert = `-----BEGIN CERTIFICATE-----
MIIBozCCAUmgAwIBAgIUPAbjem0GToZsPcl3/6SE0cV0vgAwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNdG9sbGdhdGUgdGVzdDAgFw0yNjExMjExMTE4NTVaGA8yMTI2
MTAyODExMTg1NVowGDEWMBQGA1UEAwwNdG9sbGdhdGUgdGVzdDBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABIigLZjRMJt5udYLpXGaUeDv7AgdZkhcHrp8oyXnREfB
ovOOGVuIc4YGKLs/LUr468hLl6VSVnGZbwk1p7Psfi+jbzBtMB0GA1UdDgQWBBSb
pHRPQLOUDo/dQ3Zp3GfZGQRQIjAfBgNVHSMEGDAWgBSbpHRPQLOUDo/dQ3Zp3GfZ
GQRQIjAPBgNVHRMBAf8EBTADAQH/MBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAA
ATAKBggqhkjOPQQDAgNIADBFAiB1YC/kUfOMwXoI2OQD9raCe90x+vj8QIQCZZ4/
TfmgkAIhAKM0Sf2vVDV4p4CACzfEYqaHl7LoB9fBAilDIN90cfaw
-----END CERTIFICATE-----
`
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggMOC88mWPw4CtKMj
tIivDzFQFC3yjh6GTuKRZJ62St6hRANCAASIoC2Y0TCbebnWC6VxmlHg7+wIHWZI
XB66fKMl50RHwaLzjhlbiHOGBii7Py1K+OvIS5elUlZxmW8JNaez7H4v
-----END PRIVATE KEY-----
`

const folder = mkdtempSync(join(tmpdir(), 'tollgate-tls-'))
t.teardown(() => rmSync(folder, { recursive: true }))
const certFile = join(folder, 'cert.pem')
const keyFile = join(folder, 'key.pem')
writeFileSync(certFile, cert)
writeFileSync(keyFile, key, { mode: 0o600 })

type Answer = { body: string; cookies: string[]; transportSecurity: string | undefined }

const get = (port: number, path: string, ciphers?: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const call = request(
      { host: '127.0.0.1', port, path, ca: cert, agent: false, ciphers, ...(ciphers && { maxVersion: 'TLSv1.2' }) },
      (answer) => {
        let body = ''
        answer.on('data', (chunk: Buffer) => {
          body += chunk.toString()
        })
        answer.on('end', () => {
          const { 'set-cookie': cookies = [], 'strict-transport-security': transportSecurity } = answer.headers
          resolve({ body, cookies, transportSecurity })
        })
      },
    )
    call.on('error', reject)
    call.end()
  })

t.test('under TLS a call is secure and cookies are Secure', async (t) => {
  const { server, port } = await startServer(
    [{ method: 'GET', path: '/secure', door: 'public', handler: ({ secure }) => json({ secure }) }],
    { tls: { certFile, keyFile } },
  )
  t.teardown(() => server.stop())
  t.equal((await get(port, '/secure')).body, '{"secure":true}')
  t.match((await get(port, '/admin/')).cookies, [/^csrftoken=.*; Secure$/])
  t.equal((await get(port, '/secure')).transportSecurity, 'max-age=31536000')
})

t.test('TLS 1.2 is spoken with forward secrecy alone, and nothing older', async (t) => {
  const { server, port } = await startServer(
    [{ method: 'GET', path: '/secure', door: 'public', handler: ({ secure }) => json({ secure }) }],
    { tls: { certFile, keyFile } },
  )
  t.teardown(() => server.stop())
  t.equal((await get(port, '/secure', 'ECDHE-ECDSA-AES128-GCM-SHA256')).body, '{"secure":true}')
  for (const refused of ['ECDHE-ECDSA-AES128-SHA', 'ECDHE-ECDSA-AES256-CBC-SHA384', 'AES128-GCM-SHA256'])
    await t.rejects(get(port, '/secure', refused), refused)
  const old = connect({
    host: '127.0.0.1',
    port,
    ca: cert,
    maxVersion: 'TLSv1.1',
    minVersion: 'TLSv1',
    ciphers: 'ALL:@SECLEVEL=0',
  })
  await t.rejects(once(old, 'secureConnect'), 'TLS 1.1')
})

t.test('wrong files are readable errors', async (t) => {
  const none = join(folder, 'none.pem')
  await t.rejects(startServer([], { tls: { certFile: none, keyFile } }), {
    message: `The TLS file ${none} cannot be read (ENOENT).`,
  })
  await t.rejects(
    startServer([], { tls: { certFile: keyFile, keyFile: certFile } }),
    /are no PEM certificate and its key/,
  )
})
