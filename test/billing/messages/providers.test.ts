import { createPublicKey } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { jwtVerify } from 'jose'
import t, { type Test } from 'tap'
import type { Message } from '../../../src/billing/messages/message.ts'
import { type Outgoing, providersOf } from '../../../src/billing/messages/messages.ts'
import { type SmsGatewayOptions, smsGateway } from '../../../src/billing/messages/sms-gateway.ts'
import { smtp } from '../../../src/billing/messages/smtp.ts'
import { subscriberId } from '../../../src/domain/ids.ts'
import { systemClock } from '../../../src/platform/actors/clock.ts'
import { StartRefusal } from '../../../src/platform/start-refusal.ts'
import { localDestinations, localHttp } from '../../support/local-http.ts'
import { FcmProvider, MailServer, WebProvider } from './servers.ts'

const never = new AbortController().signal
const message: Message = {
  id: 7,
  kind: 'low_balance',
  to: '79001234567',
  title: 'Баланс',
  text: 'На счёте "5" & <1> руб.',
  mailingTo: null,
}

const gatewayOf = (url: string, over: Partial<SmsGatewayOptions> = {}) =>
  smsGateway({ url, method: null, body: null, headers: {}, accepted: null, ...over }, localHttp)

t.test('an SMS gateway is asked as its operator wants it', async (t) => {
  const web = await WebProvider.start(t)
  const send = async (path: string, over: Partial<SmsGatewayOptions> = {}) => {
    t.same(await gatewayOf(web.url + path, over).send(message, never), { kind: 'sent' })
    return web.asked.at(-1)!
  }
  const byAddress = await send('/send?login=isp&to={phone}&msg={text}&n={id}')
  t.match(byAddress, { method: 'GET', body: '' })
  t.same(Object.fromEntries(new URL(byAddress.path, web.url).searchParams), {
    login: 'isp',
    to: '79001234567',
    msg: message.text,
    n: '7',
  })
  const plain = await send('/send', { headers: { Authorization: 'Bearer abcdef' } })
  t.match(plain, { method: 'POST', headers: { authorization: 'Bearer abcdef', 'content-type': 'application/json' } })
  t.same(JSON.parse(plain.body), { id: '7', phone: '79001234567', text: message.text }, 'a JSON body of our own')
  const form = await send('/send', { body: 'to={phone}&text={text}' })
  t.equal(form.headers['content-type'], 'application/x-www-form-urlencoded')
  t.equal(new URLSearchParams(form.body).get('text'), message.text)
  const xml = await send('/send', { body: '<sms to="{phone}">{text}</sms>', method: 'PUT' })
  t.match(xml, { method: 'PUT', headers: { 'content-type': 'application/xml' } })
  t.equal(xml.body, '<sms to="79001234567">На счёте &#34;5&#34; &#38; &#60;1&#62; руб.</sms>')
  const other = await send('/send', {
    body: '[{"t":"{text}"}]',
    headers: { 'content-type': 'application/vnd.sms+json' },
  })
  t.equal(other.headers['content-type'], 'application/vnd.sms+json')
  t.same(JSON.parse(other.body), [{ t: message.text }])
})

t.test('what an SMS gateway answers decides whether the message is tried again', async (t) => {
  const web = await WebProvider.start(t)
  const password = 'pa55word-of-isp'
  const gateway = gatewayOf(`${web.url}/?key=${password}&to={phone}&text={text}`, { accepted: '"ok"' })
  for (const [status, body, outcome] of [
    [200, '{"state": "ok"}', { kind: 'sent' }],
    [200, '{"state": "no money"}', { kind: 'retryLater', reason: /200: .*no money/ }],
    [200, 'Bad Gateway page', { kind: 'retryLater' }],
    [400, 'bad phone', { kind: 'refused', reason: /400: bad phone/ }],
    [422, '', { kind: 'refused' }],
    [401, `wrong ${password}`, { kind: 'retryLater', reason: 'The SMS gateway answered 401: wrong ***' }],
    // A column of PostgreSQL takes no NUL, and the message would be marked for ever.
    [500, 'a\u0000b', { kind: 'retryLater', reason: 'The SMS gateway answered 500: a\ufffdb' }],
    [302, '', { kind: 'retryLater' }],
    [404, '', { kind: 'retryLater' }],
    [500, '', { kind: 'retryLater' }],
  ] as const) {
    web.answer = () => ({ status, body, headers: { Location: `${web.url}/elsewhere` } })
    const said = await gateway.send(message, never)
    t.match(said, outcome, `${status} ${body}`)
    t.notMatch(JSON.stringify(said), password)
  }
  t.notOk(
    web.asked.some(({ path }) => path === '/elsewhere'),
    'a redirect is not followed',
  )
  web.answer = () => ({ status: 429, headers: { 'Retry-After': '120' } })
  t.match(await gateway.send(message, never), { kind: 'retryLater', afterMs: 120_000 })
})

t.test('a gateway that is not there, or says nothing, is asked again later', async (t) => {
  const web = await WebProvider.start(t)
  const stopping = new AbortController()
  web.answer = () => {
    stopping.abort()
    return 'silence'
  }
  t.match(await gatewayOf(`${web.url}/`).send(message, stopping.signal), { kind: 'retryLater', reason: /stopped/ })
  const secret = gatewayOf('http://user:pa55word@127.0.0.1:1/?to={phone}')
  const outcome = await secret.send(message, never)
  t.match(outcome, { kind: 'retryLater' })
  t.notMatch(JSON.stringify(outcome), /pa55word/)
})

async function pushes(t: Test) {
  const google = await FcmProvider.start(t)
  const outgoing: Outgoing = {
    sms: null,
    smtp: null,
    fcm: { credentialsFile: google.credentialsFile, url: google.web.url },
  }
  return { google, push: providersOf(outgoing, localHttp, systemClock)[0]! }
}

t.test('a push goes with a token that a signed assertion was given for, once for all', async (t) => {
  const { google, push } = await pushes(t)
  const both = await Promise.all([push.send({ ...message, to: 'device-1' }, never), push.send(message, never)])
  t.same(both, [{ kind: 'sent' }, { kind: 'sent' }])
  t.equal(google.tokens, 1)
  const asked = new URLSearchParams(google.web.asked[0]!.body)
  t.equal(asked.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer')
  const { payload } = await jwtVerify(asked.get('assertion')!, createPublicKey(google.publicKey), {
    issuer: 'tollgate@isp.iam.example',
    audience: `${google.web.url}/token`,
  })
  t.match(payload, { scope: 'https://www.googleapis.com/auth/firebase.messaging' })
  t.equal(payload.exp! - payload.iat!, 3600)
  const [sent] = google.messages
  t.match(sent, {
    method: 'POST',
    path: '/v1/projects/isp/messages:send',
    headers: { authorization: 'Bearer access-1' },
  })
  t.match(JSON.parse(sent!.body), {
    message: {
      token: 'device-1',
      notification: { title: 'Баланс', body: message.text },
      data: { kind: 'low_balance', id: '7' },
    },
  })
})

t.test('what FCM answers decides about the message and the device', async (t) => {
  const { google, push } = await pushes(t)
  const error = (code: number, status: string, details: object[] = [], words = status) =>
    JSON.stringify({ error: { code, status, message: words, details } })
  const violation = [{ '@type': 'BadRequest', fieldViolations: [{ field: 'message.token' }] }]
  for (const [status, body, outcome] of [
    [404, error(404, 'NOT_FOUND', [{ errorCode: 'UNREGISTERED' }]), { kind: 'refused', addressGone: true }],
    [
      403,
      error(403, 'PERMISSION_DENIED', [{ errorCode: 'SENDER_ID_MISMATCH' }]),
      { kind: 'refused', addressGone: true },
    ],
    [400, error(400, 'INVALID_ARGUMENT', violation), { kind: 'refused', addressGone: true }],
    [
      400,
      error(400, 'INVALID_ARGUMENT', [], 'The registration token is not a valid FCM registration token'),
      { addressGone: true },
    ],
    [400, error(400, 'INVALID_ARGUMENT'), { kind: 'refused', addressGone: undefined }],
    [403, error(403, 'PERMISSION_DENIED'), { kind: 'retryLater', reason: /403 PERMISSION_DENIED/ }],
    [404, error(404, 'NOT_FOUND'), { kind: 'retryLater' }],
    [429, error(429, 'RESOURCE_EXHAUSTED', [{ errorCode: 'QUOTA_EXCEEDED' }]), { kind: 'retryLater', afterMs: 30_000 }],
    [503, 'unavailable', { kind: 'retryLater' }],
    [200, '<html>sign in to the network</html>', { kind: 'retryLater', reason: /not as FCM does/ }],
    [200, '[]', { kind: 'retryLater' }],
  ] as const) {
    google.answer = () => ({ status, body, ...(status === 429 && { headers: { 'Retry-After': '30' } }) })
    t.match(await push.send(message, never), outcome, `${status} ${body}`)
  }
})

t.test('a refused access token is replaced, and none at all is no loss of a message', async (t) => {
  const { google, push } = await pushes(t)
  google.answer = () => ({ status: 401, body: '{"error": {"status": "UNAUTHENTICATED"}}' })
  t.match(await push.send(message, never), { kind: 'retryLater' })
  google.answer = () => ({ body: '{"name": "1"}' })
  t.same(await push.send(message, never), { kind: 'sent' })
  t.equal(google.tokens, 2)
  t.equal(google.messages.at(-1)!.headers.authorization, 'Bearer access-2')
  const other = await pushes(t)
  for (const said of [
    { status: 400, body: '{"error": "invalid_grant"}' },
    { body: '{"access_token": "leaked-secret"}' },
    { body: 'no JSON' },
  ]) {
    other.google.tokenAnswer = () => said
    const outcome = await other.push.send(message, never)
    t.match(outcome, { kind: 'retryLater', reason: /access token/ })
    t.notMatch(JSON.stringify(outcome), /leaked-secret/)
  }
  t.equal(other.google.messages.length, 0)
})

t.test('credentials that cannot be used refuse the start in a sentence without the key', async (t) => {
  const { google } = await pushes(t)
  const readAs = (text: string | null) => {
    if (text !== null) writeFileSync(google.credentialsFile, text)
    const file = text === null ? '/nowhere/account.json' : google.credentialsFile
    return () =>
      providersOf({ sms: null, smtp: null, fcm: { credentialsFile: file, url: null } }, localHttp, systemClock)
  }
  for (const [text, words] of [
    [null, /cannot be read \(ENOENT\)/],
    ['{"private_key": "hunter2', /is not JSON/],
    ['[]', /has no "project_id"/],
    ['{"project_id": "p", "client_email": "c", "private_key": "hunter2"}', /no key in PEM form/],
  ] as const) {
    t.throws(readAs(text), StartRefusal)
    t.throws(readAs(text), { message: words })
    t.throws(readAs(text), { message: /^TOLLGATE_FCM_CREDENTIALS names (?!.*hunter2)/ })
  }
})

t.test('an e-mail is signed in for, sent, and known again by its Message-ID', async (t) => {
  const server = await MailServer.start(t)
  const mail = smtp({ url: server.url, from: 'Провайдер <billing@isp.example>' }, localDestinations)
  t.teardown(() => mail.close?.())
  t.same(await mail.send({ ...message, to: 'ivan@client.example' }, never), { kind: 'sent' })
  t.same(server.signedIn, ['\0sender\0pa55word'])
  const [sent] = server.mails
  t.match(sent, { from: /billing@isp\.example/, to: ['ivan@client.example'] })
  t.match(sent!.text, /Message-ID: <tollgate-7@isp\.example>/i)
  t.match(sent!.text, /Auto-Submitted: auto-generated/i)
  t.match(sent!.text, /From: =\?UTF-8\?/)
  t.notMatch(sent!.text, /List-Unsubscribe/i)
})

t.test('an e-mail of a mailing has a link by which its reader opts out with one click', async (t) => {
  const server = await MailServer.start(t)
  const options = { url: server.url, from: 'billing@isp.example' }
  const mail = smtp(options, localDestinations, (id) => `https://isp.example/lk/unsubscribe/?token=${id}.x`)
  t.teardown(() => mail.close?.())
  t.same(await mail.send({ ...message, mailingTo: subscriberId(5), to: 'ivan@client.example' }, never), {
    kind: 'sent',
  })
  const [sent] = server.mails
  t.match(sent!.text, /List-Unsubscribe: <https:\/\/isp\.example\/lk\/unsubscribe\/\?token=5\.x>/)
  t.match(sent!.text, /List-Unsubscribe-Post: List-Unsubscribe=One-Click/)
})

t.test('what a mail server answers decides whether the e-mail is tried again', async (t) => {
  const outcomeFor = async (refusals: MailServer['refusals'], to = 'ivan@client.example') => {
    const server = await MailServer.start(t)
    server.refusals = refusals
    const mail = smtp({ url: server.url, from: 'billing@isp.example' }, localDestinations)
    const outcome = await mail.send({ ...message, to }, never)
    mail.close?.()
    t.notMatch(JSON.stringify(outcome), /pa55word/)
    return outcome
  }
  t.match(await outcomeFor({ RCPT: '550 no such user' }), { kind: 'refused', reason: /550 no such user/ })
  t.match(await outcomeFor({ DATA: '554 spam' }), { kind: 'refused' })
  t.match(await outcomeFor({ RCPT: '451 greylisted' }), { kind: 'retryLater', reason: /451 greylisted/ })
  t.match(await outcomeFor({ MAIL: '550 unknown sender' }), { kind: 'retryLater' }, 'the sender can be mended')
  t.match(await outcomeFor({ AUTH: '535 wrong password' }), { kind: 'retryLater' }, 'and so can the password')
  const gone = smtp({ url: 'smtp://user:pa55word@127.0.0.1:1', from: 'a@b.example' }, localDestinations)
  t.match(await gone.send(message, never), { kind: 'retryLater', reason: /not reached: ECONNREFUSED/ })
})

t.test('a mail server that says nothing does not hold up a stop', async (t) => {
  const server = await MailServer.start(t)
  server.isSilent = true
  const mail = smtp({ url: server.url, from: 'billing@isp.example' }, localDestinations)
  const stopping = new AbortController()
  const sending = mail.send({ ...message, to: 'ivan@client.example' }, stopping.signal)
  stopping.abort()
  t.match(await sending, { kind: 'retryLater' })
  mail.close?.()
})
