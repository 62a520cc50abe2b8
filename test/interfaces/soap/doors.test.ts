import { readFileSync } from 'node:fs'
import t from 'tap'
import { readEnvelope } from '../../../src/interfaces/soap/envelope.ts'
import { services } from '../../../src/interfaces/soap/services.ts'
import { fetch } from '../../support/published.ts'
import { envelope, escaped, fiscalNamespace, hashOf, openSoapFixture, userNamespace } from './fixture.ts'

const fixture = await openSoapFixture(t)
const hash_key = await fixture.staff('root')
await fixture.subscriber('000042', 'Иванов Иван')
const said = { hash_key, ACT: 'CHECK', CONTRACT_NUMBER: '42', PAY_OPERATOR: 'x' }
const children = Object.entries(said).map(([name, value]) => `<${name}>${value}</${name}>`)
const found = { status: 200, result: 'OK;000042;Иванов И***;0.00' }
const env = 'http://schemas.xmlsoap.org/soap/envelope/'
const wrapped = (body: string, header = '') =>
  `<e:Envelope xmlns:e="${env}">${header}<e:Body>${body}</e:Body></e:Envelope>`
const call = (inside: string, name = 'pay_usr_act2', namespace = fiscalNamespace) =>
  wrapped(`<${name} xmlns="${namespace}">${inside}</${name}>`)
const fiscal = (body: string | Buffer, headers = {}) => fixture.post('/api/fiscal/', body, headers)

t.test('every path describes its service, as it always did', async (t) => {
  for (const { name, paths } of services) {
    const kept = readFileSync(new URL(`${name}.wsdl`, import.meta.url), 'utf8')
    for (const path of paths) {
      const expected = kept.replace('{address}', `https://billing.example${path}`)
      for (const address of [`${path}?wsdl`, `${path.slice(0, -1)}?wsdl`, `${path}?WSDL`, `${path}?wsdl=1`]) {
        const response = await fetch(fixture.base + address)
        t.match(response.headers.get('content-type'), /^text\/xml/)
        t.equal(await response.text(), expected, address)
      }
    }
  }
  const plain = await fetch(`${fixture.base}/api/`)
  t.match([plain.status, await plain.text()], [405, /faultstring>UserService takes SOAP 1\.1 by POST/])
})

t.test('the first element of the body names the operation, whatever SOAPAction is', async (t) => {
  t.match(await fiscal(envelope('pay_usr_act2', fiscalNamespace, said), { SOAPAction: '"get_user_hash"' }), found)
  t.match(await fiscal(call(children.join('')), { SOAPAction: '""' }), found)
  t.match(
    await fiscal(wrapped(`<x:pay_usr_act2 xmlns:x="${fiscalNamespace}">${children.join('')}</x:pay_usr_act2><more/>`)),
    found,
  )
  t.match(
    await fiscal(wrapped(`<pay_usr_act2>${children.toReversed().join('\n  ')}</pay_usr_act2>`)),
    found,
    'no namespace',
  )
})

t.test('an unknown operation is a fault that names the address that has it', async (t) => {
  const unknown = { status: 500, code: 'Client.UnknownOperation' }
  t.match(await fiscal(call('', 'pay_usr_act3')), {
    ...unknown,
    reason: 'FiscalService has no operation pay_usr_act3.',
  })
  t.match(await fixture.post('/api/v2/', envelope('pay_usr_act2', fiscalNamespace, said)), {
    ...unknown,
    reason: /It is at \/api\/fiscal\/\.$/,
  })
  t.match(await fixture.userHash('root', 'root-password', '/api/fiscal/'), {
    ...unknown,
    reason: /It is at \/api\/\.$/,
  })
  t.match(await fiscal(call(children.join(''), 'pay_usr_act2', 'urn:other')), {
    ...unknown,
    reason: /rpc\.view\.fiscal/,
  })
  t.match(await fixture.post('/api/nothing/', call('')), { status: 404, code: 'Client.NotFound' })
})

t.test('parameters are read as programs write them', async (t) => {
  const xsi = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
  const rest = children.filter((child) => !child.startsWith('<CONTRACT'))
  const contract = (xml: string) => fiscal(call([...rest, xml].join('')))
  t.match(await contract('<CONTRACT_NUMBER xmlns="">42</CONTRACT_NUMBER>'), found)
  t.match(await contract('<CONTRACT_NUMBER>\n 42 <!-- a comment -->\n</CONTRACT_NUMBER>'), found)
  t.match(await contract('<CONTRACT_NUMBER><![CDATA[42]]></CONTRACT_NUMBER>'), found)
  t.match(await contract('<CONTRACT_NUMBER>&#52;&#x32;</CONTRACT_NUMBER>'), found)
  t.match(await contract(`<CONTRACT_NUMBER ${xsi} xsi:type="xsd:string">42</CONTRACT_NUMBER>`), found)
  t.match(await contract('<CONTRACT_NUMBER>42</CONTRACT_NUMBER><extra><deep>1</deep></extra>'), found, 'unknown ones')
  t.match(
    await contract('<CONTRACT_NUMBER>42</CONTRACT_NUMBER><CONTRACT_NUMBER xmlns="urn:x">43</CONTRACT_NUMBER>'),
    found,
  )
  const missing = { status: 500, code: 'Client.MissingParameter', reason: /CONTRACT_NUMBER/ }
  t.match(await contract(''), missing)
  t.match(await contract('<CONTRACT_NUMBER/>'), missing)
  t.match(await contract(`<CONTRACT_NUMBER ${xsi} xsi:nil="true">42</CONTRACT_NUMBER>`), missing)
  t.match(await contract('<CONTRACT_NUMBER>4<b/>2</CONTRACT_NUMBER>'), {
    code: 'Client.BadParameter',
    reason: /must be text/,
  })
  const twice = '<CONTRACT_NUMBER>42</CONTRACT_NUMBER>'.repeat(2)
  t.match(await contract(twice), { code: 'Client.BadParameter', reason: /more than once/ })
  const numbered = [hash_key, 'CHECK', '42', '', 'x'].map((value, at) => `<param${at}>${value}</param${at}>`)
  t.match(await fiscal(call(numbered.join(''))), found, 'PHP without names')
})

t.test('a body may be in another encoding, named by either place', async (t) => {
  const body = (declared: string) =>
    `<?xml version="1.0" encoding="${declared}"?>${call(children.join('').replace('>42<', '>000042<'))}`
  const cyrillic = Buffer.concat([Buffer.from('>'), Buffer.from([0xc8, 0xe2, 0xe0, 0xed]), Buffer.from('<')])
  await fixture.subscriber('Иван', 'Петров Пётр')
  const windows = Buffer.concat([
    Buffer.from(body('windows-1251').split('>000042<')[0]!),
    cyrillic,
    Buffer.from(body('windows-1251').split('>000042<')[1]!),
  ])
  const ivan = { status: 200, result: 'OK;Иван;Петров П***;0.00' }
  t.match(await fiscal(windows, { 'Content-Type': 'text/xml' }), ivan)
  t.match(await fiscal(windows, { 'Content-Type': 'text/xml; charset="Windows-1251"' }), ivan)
  t.match(await fiscal(windows), { code: 'Client.BadXml', reason: 'The body is not utf-8.' })
  t.match(await fiscal(Buffer.from(`\ufeff${body('utf-16')}`, 'utf16le')), found)
  t.match(await fiscal(`\ufeff${body('utf-8')}`), found)
  t.match(await fiscal(body('x-none'), { 'Content-Type': 'text/xml' }), {
    code: 'Client.BadXml',
    reason: /x-none is unknown/,
  })
})

t.test('what is no message of SOAP 1.1 is a fault of its own', async (t) => {
  const inside = children.join('')
  const cases: [string, string, RegExp][] = [
    ['', 'Client.BadXml', /is empty/],
    ['{"json": true}', 'Client.BadXml', /well-formed/],
    ['<a><b></a>', 'Client.BadEnvelope', /no SOAP envelope/],
    [call(inside).slice(0, -20), 'Client.BadXml', /well-formed/],
    [call(inside).replace('</pay_usr_act2>', '</pay_usr_act>'), 'Client.BadXml', /well-formed/],
    [`${call(inside)}<more/>`, 'Client.BadXml', /one root/],
    [call('<ACT>&nbsp;</ACT>'), 'Client.BadXml', /entity/],
    [call('<ACT>&constructor;</ACT>'), 'Client.BadXml', /entity/],
    [call('<ACT>&#0;</ACT>'), 'Client.BadXml', /entity|characters/],
    [call('<ACT>&#xD800;</ACT>'), 'Client.BadXml', /entity|characters/],
    [call('<ACT>&#7;</ACT>'), 'Client.BadXml', /entity|characters/],
    [call('<ACT>\u0007</ACT>'), 'Client.BadXml', /characters/],
    [call('<p:ACT>CHECK</p:ACT>'), 'Client.BadXml', /prefix/],
    ['<Envelope/>', 'VersionMismatch', /SOAP 1\.1/],
    [call(inside).replace(env, 'http://www.w3.org/2003/05/soap-envelope'), 'VersionMismatch', /not 1\.2/],
    [`<e:Envelope xmlns:e="${env}"/>`, 'Client.BadEnvelope', /no Body/],
    [wrapped(''), 'Client.BadEnvelope', /empty/],
    [wrapped('words'), 'Client.BadEnvelope', /empty|text/],
    [wrapped('<x/>', '<e:Body/>'), 'Client.BadEnvelope', /one Body/],
    [wrapped('<x/>', '<e:Other/>'), 'Client.BadEnvelope', /Header/],
    [
      wrapped('<x/>', '<e:Header><s:Security xmlns:s="urn:s" e:mustUnderstand="1"/></e:Header>'),
      'MustUnderstand',
      /Security/,
    ],
  ]
  for (const [body, code, reason] of cases) {
    const answer = await fiscal(body)
    t.match(answer, { status: 500, code, reason }, body.slice(0, 60))
  }
  const kind = '<e:Header><s:Trace xmlns:s="urn:s" e:mustUnderstand="0">1</s:Trace></e:Header>'
  t.match(await fiscal(wrapped(`<pay_usr_act2>${inside}</pay_usr_act2>`, kind)), found, 'other headers are left alone')
})

t.test('document types, entities, depths and floods of attributes are refused before they cost anything', async (t) => {
  const lol = Array.from({ length: 10 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('')
  const n = 200_000
  const many = (one: (at: number) => string, count = n) => Array.from({ length: count }, (_, at) => one(at)).join('')
  const bombs: Record<string, string> = {
    laughs: `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "lol">${lol}]>${call('<ACT>&l10;</ACT>')}`,
    external: `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${call('<ACT>&e;</ACT>')}`,
    'external subset': `<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd">${call(children.join(''))}`,
    parameter: `<!DOCTYPE x [<!ENTITY % p SYSTEM "http://127.0.0.1:1/x"> %p;]>${call('')}`,
    'open document type': `<!DOCTYPE x [${'<!ENTITY a "b">'.repeat(50_000)}`,
    depth: wrapped('<a>'.repeat(n)),
    'balanced depth': wrapped(`${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`),
    width: call('<a/>'.repeat(n)),
    'many attributes': call(`<ACT ${many((at) => `a${at.toString(36)}=""`, 90_000)}/>`),
    'the same attribute': call(`<ACT ${'a="" '.repeat(n)}/>`),
    'attributes with brackets': call(`<ACT ${many((at) => `a${at.toString(36)}=">"`, 80_000)}/>`),
    'many namespaces': call(`<ACT ${many((at) => `xmlns:a${at.toString(36)}="u"`, 50_000)}/>`),
    'long attribute': call(`<ACT a="${'x'.repeat(1_000_000)}"/>`),
    'long name': call(`<${'x'.repeat(1_000_000)}/>`),
    'long entity': call(`<ACT>&${'x'.repeat(1_000_000)};</ACT>`),
    'long comment': call(`<!--${'x'.repeat(1_000_000)}`),
    'many ampersands': call(`<ACT>${'&amp;'.repeat(200_000)}</ACT>`),
    'one open bracket after the other': '<'.repeat(1_000_000),
  }
  for (const [name, bomb] of Object.entries(bombs)) {
    const began = process.cpuUsage()
    const answer = await fiscal(bomb)
    const { user } = process.cpuUsage(began)
    t.match(answer, { status: 500, code: /^Client\./ }, name)
    t.notMatch(answer.text, /lollol|root:/)
    t.ok(answer.text.length < 2_000, `${name}: a short answer`)
    t.ok(user < 5_000_000, `${name}: ${Math.round(user / 1000)} ms`)
  }
  t.match(await fiscal('x'.repeat(1_048_577)), { status: 413, code: 'Client.TooLarge', reason: /1 MiB/ })
  t.match(await fiscal(call(children.join(''))), found, 'and the door is open as before')
})

t.test('names with signs of XML come back as they are', async (t) => {
  await fixture.subscriber(`a<b>&"c'`, 'О<тец & Сын')
  const answer = await fiscal(call(children.join('').replace('>42<', `>${escaped(`a<b>&"c'`)}<`)))
  t.match(answer, { status: 200, result: `OK;a<b>&"c';О<тец &***;0.00` })
  t.notMatch(answer.text, /a<b>|О<тец/)
  const { text } = await fixture.post('/api/', envelope('get_<', userNamespace, { hash: hashOf('x') }))
  t.match(text, /faultcode>soap11env:Client\.BadXml</)
})

t.test('what is larger than 16 KiB is read on only for a valid hash_key within them', async (t) => {
  // Fifty kilobytes in few lines, because each is looked for in the database after the one before.
  const list = escaped(Array.from({ length: 100 }, (_, n) => `nobody;1;&-${n};;${'x'.repeat(500)}`).join('\n'))
  const register = (key: string, before = '') =>
    call(`${before}${key}<ACT_LIST>${list}</ACT_LIST><PAY_OPERATOR>x</PAY_OPERATOR>`, 'pay_usr_act_import')
  const keyed = `<hash_key>${hash_key}</hash_key>`
  t.match(await fiscal(register(keyed)), { status: 200, result: /^OK;0;0;100\n1;UnknownContract;/ })
  t.match(await fiscal(register(keyed, `<!--${'x'.repeat(15_000)}-->`)), { status: 200 }, 'within them')
  const numbered = register(keyed)
  const php = ['hash_key', 'ACT_LIST', 'PAY_OPERATOR'].reduce(
    (text, name, at) => text.replaceAll(`${name}>`, `param${at}>`),
    numbered,
  )
  t.match(await fiscal(php), { status: 200 }, 'PHP without names')
  const cyrillic = register(keyed).replace('nobody', 'Иванов')
  t.match(await fiscal(Buffer.from(`\ufeff${cyrillic}`, 'utf16le')), { status: 200, result: /Иванов/ })

  const tooLarge = { status: 500, code: 'Client.TooLarge', reason: /16 KiB/ }
  t.match(await fiscal(register('')), tooLarge, 'without a key')
  t.match(await fiscal(register(keyed, `<!--${'x'.repeat(17_000)}-->`)), tooLarge, 'a key that comes too late')
  t.match(await fiscal(`${' '.repeat(17_000)}${register(keyed)}`), tooLarge, 'before the call has begun')
  t.match(await fiscal(register('<hash_key>x</hash_key>')), { code: 'Client.NotSignedIn' })
  const unknown = register(`<hash_key>${'0'.repeat(32)}</hash_key>`)
  t.match(await fiscal(`${unknown.slice(0, 20_000)}<broken`), { code: 'Client.NotSignedIn' }, 'the rest is not read')
  const signIn = envelope('get_user_hash', userNamespace, { username: 'x'.repeat(20_000), hash: hashOf('x') })
  t.match(await fixture.post('/api/', signIn), tooLarge)
  t.match(await fiscal(register(`${keyed}<hash_key>x</hash_key>`)), { code: 'Client.BadParameter' }, 'two keys')
})

t.test('a megabyte is read in slices, between which others are served', async (t) => {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const body = Buffer.from(call(`<hash_key>x</hash_key><ACT_LIST>${'&amp;'.repeat(200_000)}</ACT_LIST>`))
  let turns = 0
  let isRead = false
  const count = () => {
    turns++
    if (!isRead) setImmediate(count)
  }
  setImmediate(count)
  const read = await readEnvelope(body, decoder, async () => null)
  isRead = true
  t.match(read, { kind: 'call', children: [{ name: 'hash_key' }, { name: 'ACT_LIST', value: '&'.repeat(200_000) }] })
  t.ok(turns >= body.length / 8_192, `${turns} turns`)
})
