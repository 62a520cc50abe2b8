import { createHash, randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { Secrets } from '../../../src/platform/secrets/secrets.ts'
import { challengeHash, challengeResponse, ntPasswordHash } from '../../../src/network/radius/wire/ms-chap.ts'
import { cryptHashes } from '../../platform/passwords/hashes.ts'
import { type Client, nasEntry, RadiusFixture, secrets, vendorValues, verified } from './fixture.ts'
import { vendorSpecific } from './wire/builder.ts'

const microsoft = 311
const [, crypt] = cryptHashes.find(([password, hash]) => password === 'secret' && hash.startsWith('$6$'))!
const [, other] = cryptHashes.find(([password, hash]) => password === 'пароль' && hash.startsWith('$5$'))!
const ssha = '{SSHA}5YzOHZsMGqSgmLhnNWf1OlJIZ4QBI6vN'
const nt = '{NT}878d8014606cda29677a44efa1353fc7'

const methods = {
  pap: (client: Client, login: string, password: string) =>
    client.access([
      ['User-Name', login],
      ['User-Password', password],
    ]),
  chap: (client: Client, login: string, password: string) => {
    const [challenge, id] = [randomBytes(16), Buffer.of(9)]
    const digest = createHash('md5').update(id).update(password).update(challenge).digest()
    return client.raw([
      [1, login],
      [3, Buffer.concat([id, digest])],
      [60, challenge],
    ])
  },
  msChap: (client: Client, login: string, password: string) => {
    const challenge = randomBytes(8)
    const response = challengeResponse(challenge, ntPasswordHash(password))
    const value = Buffer.concat([Buffer.of(7, 1), Buffer.alloc(24), response])
    return client.raw([[1, login], vendorSpecific(microsoft, [11, challenge]), vendorSpecific(microsoft, [1, value])])
  },
  msChap2: (client: Client, login: string, password: string) => {
    const [challenge, peer] = [randomBytes(16), randomBytes(16)]
    const hashed = challengeHash(peer, challenge, Buffer.from(login))
    const response = challengeResponse(hashed, ntPasswordHash(password))
    const value = Buffer.concat([Buffer.of(7, 0), peer, Buffer.alloc(8), response])
    return client.raw([[1, login], vendorSpecific(microsoft, [11, challenge]), vendorSpecific(microsoft, [25, value])])
  },
}
type Method = keyof typeof methods

t.test('each method works with what is stored, or an operator reads why it cannot', (t) => eachMethod(t, false))

t.test('and the same with passwords that are not opened yet', (t) => eachMethod(t, true))

async function eachMethod(t: Test, isSealed: boolean): Promise<void> {
  const fixture = await RadiusFixture.start(t)
  const client = await fixture.client()
  const chapWithHash = /CHAP needs the clear password, and only a hash is stored/
  const msChapWithHash = /MS-CHAP needs the clear password or its NT hash, and another hash is stored/
  const table: [login: string, stored: string, refused: Partial<Record<Method, RegExp>>][] = [
    ['clear', 'secret', {}],
    ['marked', '{CLEAR}secret', {}],
    ['nt', nt, { chap: chapWithHash }],
    ['ssha', ssha, { chap: chapWithHash, msChap: msChapWithHash, msChap2: msChapWithHash }],
    ['crypt', `{CRYPT}${crypt}`, { chap: chapWithHash, msChap: msChapWithHash, msChap2: msChapWithHash }],
  ]
  const expected: RegExp[] = []
  const told: string[] = []
  let more = () => {}
  fixture.events.on('accessRejected', ({ reason }) => {
    told.push(reason)
    more()
  })
  for (const [index, [login, password]] of table.entries()) {
    const place = { login, ip: 0x0a000000 + index, tariffReply: Buffer.of(11, 4, 66, 67) }
    fixture.login(index + 1, { ...place, password: isSealed ? secrets.seal(password) : password, isSealed })
  }
  for (const [login, stored, refused] of table) {
    for (const method of Object.keys(methods) as Method[]) {
      const reason = refused[method]
      const answer = await client.exchange(methods[method](client, login, 'secret'))
      t.equal(answer.code, reason ? 'Access-Reject' : 'Access-Accept', `${method} with ${stored}`)
      if (!reason) t.equal(answer.attributes['Filter-Id'], 'BC', 'what follows the password is intact')
      if (reason) {
        expected.push(reason)
        t.equal(answer.attributes['Reply-Message'], 'unknown login or wrong password', 'nobody else reads it')
      }
      const wrong = await client.exchange(methods[method](client, login, 'wrong'))
      t.equal(wrong.code, 'Access-Reject', `${method} with ${stored}, wrong`)
      expected.push(reason ?? /^unknown login or wrong password$/)
    }
  }
  while (told.length < expected.length) await new Promise<void>((resolve) => (more = resolve))
  t.match(told, expected)
  t.equal((await client.pap('nt', 'SECRET')).code, 'Access-Reject')
  t.equal((await client.pap('nt', nt)).code, 'Access-Reject', 'the hash is not the password')
}

t.test('a password that is sealed with a key which is lost is never right', async (t) => {
  const fixture = await RadiusFixture.start(t)
  const client = await fixture.client()
  const lost = new Secrets(Buffer.alloc(32, 9)).seal('secret')
  fixture.login(1, { login: 'ivan', password: lost, isSealed: true })
  for (const sent of ['secret', '', lost]) t.equal((await client.pap('ivan', sent)).code, 'Access-Reject')
})

t.test('an NT hash gives the keys of MPPE that the password gives', async (t) => {
  const fixture = await RadiusFixture.start(t)
  fixture.login(1, { login: 'one', password: 'secret' })
  fixture.login(2, { login: 'two', password: nt })
  const client = await fixture.client()
  for (const login of ['one', 'two']) {
    const answer = await client.exchange(methods.msChap2(client, login, 'secret'))
    t.equal(vendorValues(answer, microsoft, 26)[0]?.length, 43, 'MS-CHAP2-Success')
    t.equal(vendorValues(answer, microsoft, 16).length, 1)
    t.equal(vendorValues(answer, microsoft, 17).length, 1)
  }
})

t.test('a request with a slow hash is held and others are answered meanwhile', async (t) => {
  const asked: { hash: string; password: string; settle: (isRight: boolean | Error) => void }[] = []
  let more = () => {}
  const fixture = await RadiusFixture.start(t, {
    comparePassword: (hash, password) =>
      new Promise<boolean>((resolve, reject) => {
        const settle = (isRight: boolean | Error) => (isRight instanceof Error ? reject(isRight) : resolve(isRight))
        asked.push({ hash, password, settle })
        more()
      }),
  })
  const question = async (count: number) => {
    while (asked.length < count) await new Promise<void>((resolve) => (more = resolve))
    return asked[count - 1]!
  }
  fixture.login(1, { login: 'slow', password: `{CRYPT}${crypt}` })
  fixture.login(2, { login: 'quick', password: 'secret' })
  const client = await fixture.client()
  const held = methods.pap(client, 'slow', 'secret')
  client.send(held)
  const first = await question(1)
  t.match(first, { hash: crypt, password: 'secret' })
  t.ok(await client.staysSilent(held), 'its retransmission is dropped')
  t.equal((await client.pap('quick', 'secret')).code, 'Access-Accept')
  first.settle(true)
  t.equal(verified(held, await client.next()).code, 'Access-Accept')
  t.equal((await client.exchange(held)).code, 'Access-Accept', 'and now gets the same answer again')
  t.equal(asked.length, 1)

  const wrong = methods.pap(client, 'slow', 'wrong')
  client.send(wrong)
  ;(await question(2)).settle(false)
  t.equal(verified(wrong, await client.next()).code, 'Access-Reject')

  const overloaded = methods.pap(client, 'slow', 'secret')
  client.send(overloaded)
  ;(await question(3)).settle(new Error('too many'))
  await fixture.nextLine('could not be compared')
  // The worker takes the message before the next datagram, or else this repetition is dropped and the one after is not.
  const counted = () => fixture.engine.snapshot().counts.some(({ fault }) => fault === 'overload')
  while (!counted()) await client.pap('quick', 'secret')
  client.send(overloaded)
  const again = await question(4)
  // The verdict will be about a hash that is no longer stored, so the one that is stored is asked about.
  fixture.login(1, { login: 'slow', password: `{CRYPT}${other}` })
  again.settle(true)
  const anew = await question(5)
  t.equal(anew.hash, other)
  anew.settle(false)
  t.equal(verified(overloaded, await client.next()).code, 'Access-Reject')
})

t.test('while the secret of a NAS is being changed, a password is read in both ways', async (t) => {
  const asked: string[] = []
  const fixture = await RadiusFixture.start(t, {
    nas: [nasEntry({ secretNext: 'the next secret' })],
    comparePassword: async (_, password) => {
      asked.push(password)
      return password === 'secret'
    },
  })
  fixture.login(1, { login: 'slow', password: `{CRYPT}${crypt}` })
  const client = await fixture.client()
  const unsigned = (password: string) =>
    client.access(
      [
        ['User-Name', 'slow'],
        ['User-Password', password],
      ],
      { signed: false, secret: 'the next secret' },
    )
  client.send(unsigned('wrong'))
  t.equal((await client.next())[0], 3, 'Access-Reject')
  t.equal(asked.length, 2)
  t.equal(asked[1], 'wrong')
  client.send(unsigned('secret'))
  t.equal((await client.next())[0], 2, 'Access-Accept')
  t.equal(asked.at(-1), 'secret')
})
