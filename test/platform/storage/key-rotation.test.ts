import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import t, { type Test } from 'tap'
import { forgetLostKey, type RotationOutcome, rotateKey } from '../../../src/platform/storage/key-rotation.ts'
import { sealedColumns } from '../../../src/platform/storage/sealed-values.ts'
import { openSecrets } from '../../../src/platform/storage/secret-keys.ts'
import { Secrets } from '../../../src/platform/secrets/secrets.ts'
import { SharedDatabase } from '../../support/database.ts'
import { secretsIn } from '../../support/secrets.ts'

const shared = await SharedDatabase.open(t)

const isRoot = process.getuid?.() === 0
const sealedByAnEarlierTollgate = 'sealed1:oSrLkLQsxUXUSWTC1sagTspOGuKYjaXTB6+lFx3je+GB'
const keyOfIt = '07'.repeat(32)

async function setting(t: Test) {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-keys-'))
  await shared.anew()
  const { url } = shared
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.teardown(async () => {
    await client.end()
    rmSync(dataDir, { recursive: true })
  })
  const config = { dataDir, secretKey: null, oldSecretKey: null }
  const file = join(dataDir, 'secret.key')
  const addNas = (secret: string, ip = '127.0.0.1') =>
    client.query(`INSERT INTO nas (name, ip, secret) VALUES ('n', $1, $2)`, [ip, secret])
  const secretsOfNas = async () =>
    (await client.query<{ secret: string }>('SELECT secret FROM nas ORDER BY ip')).rows.map(({ secret }) => secret)
  const needed = async () =>
    (await client.query<{ key_id: string }>('SELECT key_id FROM secret_keys ORDER BY since')).rows.map((r) => r.key_id)
  return { dataDir, url, client, config, file, addNas, secretsOfNas, needed }
}

/** A program that opens its secrets and ends again at once. */
const start = (url: string, config: Parameters<typeof openSecrets>[1]) => openSecrets(url, config, async () => {})

t.test('an empty database gets a key, and its program starts again with it only', async (t) => {
  const { url, config, file, addNas, needed } = await setting(t)
  const secrets = await start(url, config)
  t.same(await needed(), [secrets.keyId])
  t.equal((await start(url, config)).keyId, secrets.keyId)
  await addNas(secrets.seal('s'))
  const kept = readFileSync(file)
  rmSync(file)
  const gone = new RegExp(
    `sealed with key ${secrets.keyId}, and there is no ${file}: bring back .* TOLLGATE_SECRET_KEY`,
  )
  await t.rejects(start(url, config), { name: 'StartRefusal', message: gone })
  t.notOk(existsSync(file), 'no new key is made')
  await t.rejects(start(url, { ...config, secretKey: 'another passphrase' }), {
    message: new RegExp(`sealed with key ${secrets.keyId}, and TOLLGATE_SECRET_KEY gives key`),
  })
  writeFileSync(file, '1'.repeat(64))
  await t.rejects(start(url, config), { message: new RegExp(`and ${file} holds key`) })
  writeFileSync(file, kept)
  t.equal((await start(url, config)).keyId, secrets.keyId)
})

t.test('a database of an earlier Tollgate starts with its key only', async (t) => {
  const { url, config, file, addNas, secretsOfNas, needed } = await setting(t)
  await addNas(sealedByAnEarlierTollgate)
  await t.rejects(start(url, config), { message: /sealed with another key, and there is no/ })
  t.notOk(existsSync(file))
  writeFileSync(file, keyOfIt)
  const secrets = await start(url, config)
  t.equal(secrets.open((await secretsOfNas())[0]!), 'hello')
  t.same(await needed(), [secrets.keyId])
})

t.test('a database of an earlier Tollgate still needs the key that its values were sealed with', async (t) => {
  const { url, config, file, addNas, needed } = await setting(t)
  await addNas(sealedByAnEarlierTollgate)
  writeFileSync(file, keyOfIt)
  const given = { ...config, secretKey: 'a long passphrase' }
  const secrets = await start(url, given)
  t.equal((await needed()).length, 2)
  rmSync(file)
  await t.rejects(start(url, given), { message: /sealed with key .*, and TOLLGATE_SECRET_KEY gives key/ })
  writeFileSync(file, keyOfIt)
  t.match(await rotateKey(url, given), { kind: 'rotated', keyId: secrets.keyId, resealed: 1, keptFiles: [] })
  rmSync(file)
  await start(url, given)
})

t.test('a rotation knows the columns with secrets by their entities', async (t) => {
  const known = new Set(sealedColumns.map(({ table, column }) => `${table}.${column}`))
  const expected = [
    'cards.pin',
    'fiscal_configs.password',
    'nas.secret',
    'nas.secret_next',
    'staff.soap_md5',
    'switches.snmp_community',
    'system_settings.value',
    'users.password',
  ]
  for (const column of expected) t.ok(known.has(column), column)
})

/** One value in several tables, sealed by the key of the folder. */
async function fill({ client, addNas, dataDir }: Awaited<ReturnType<typeof setting>>) {
  const secrets = secretsIn(dataDir)
  await addNas(secrets.seal('of a NAS'))
  await addNas(secrets.seal('of another'), '127.0.0.2')
  await client.query(`INSERT INTO switches (name, ip) VALUES ('bare', '10.0.0.1')`)
  await client.query(`INSERT INTO switches (name, ip, snmp_community) VALUES ('s', '10.0.0.2', $1)`, [
    secrets.seal('public'),
  ])
  await client.query(`UPDATE system_settings SET value = $1 WHERE name = 'SOAP_HASH_SALT'`, [secrets.seal('salt')])
  return secrets
}

const sealedNow = async (client: pg.Client): Promise<string[]> =>
  (
    await client.query<{ value: string }>(
      `SELECT secret AS value FROM nas UNION ALL SELECT snmp_community FROM switches WHERE snmp_community IS NOT NULL
        UNION ALL SELECT value FROM system_settings WHERE name = 'SOAP_HASH_SALT'`,
    )
  ).rows.map(({ value }) => value)

const clear = ['of a NAS', 'of another', 'public', 'salt']

t.test('a rotation seals everything again and keeps the old key for backups', async (t) => {
  const all = await setting(t)
  const { url, client, config, file, needed } = all
  const old = await start(url, config)
  await fill(all)
  const settings = `SELECT name, value FROM system_settings WHERE name <> 'SOAP_HASH_SALT' ORDER BY name`
  const before = (await client.query(settings)).rows
  const outcome = await rotateKey(url, config)
  t.match(outcome, { kind: 'rotated', oldKeyIds: [old.keyId], resealed: 4, unreadable: 0 })
  const secrets = await start(url, config)
  t.not(secrets.keyId, old.keyId)
  t.strictSame(secrets.keyIds, [secrets.keyId])
  const values = await sealedNow(client)
  t.strictSame(values.map((value) => secrets.open(value)).sort(), clear)
  t.ok(values.every((value) => secrets.isSealedAnew(value)))
  t.same(await needed(), [secrets.keyId])
  t.strictSame((await client.query(settings)).rows, before, 'other settings stay as they are')
  const kept = `${file}.${old.keyId}`
  t.strictSame((outcome as Extract<RotationOutcome, { kind: 'rotated' }>).keptFiles, [kept])
  t.equal(new Secrets(Buffer.from(readFileSync(kept, 'utf8').trim(), 'hex')).keyId, old.keyId)
})

t.test('cut off at any point, a rotation leaves a database that starts, and the next one completes it', async (t) => {
  const steps = await countSteps(t)
  t.equal(steps, 7)
  for (let cutAt = 1; cutAt <= steps; cutAt++) {
    const all = await setting(t)
    const { url, client, config, needed } = all
    await start(url, config)
    const old = await fill(all)
    let step = 0
    const cut = () => {
      if (++step === cutAt) throw new Error('cut off')
    }
    await t.rejects(rotateKey(url, config, cut), { message: 'cut off' })
    const between = await start(url, config)
    t.strictSame((await sealedNow(client)).map((value) => between.open(value)).sort(), clear, `cut at step ${cutAt}`)
    // What the program seals in between is found, too.
    await all.addNas(between.seal('in between'), '127.0.0.3')
    t.match(await rotateKey(url, config), { kind: 'rotated', keyId: between.keyId, oldKeyIds: [old.keyId] })
    const secrets = await start(url, config)
    t.strictSame(secrets.keyIds, [between.keyId])
    t.strictSame((await sealedNow(client)).map((value) => secrets.open(value)).sort(), [...clear, 'in between'].sort())
    t.same(await needed(), [secrets.keyId])
  }
})

async function countSteps(t: Test): Promise<number> {
  const all = await setting(t)
  await start(all.url, all.config)
  await fill(all)
  let steps = 0
  await rotateKey(all.url, all.config, () => steps++)
  return steps
}

t.test('a rotation is refused while a program seals with the old key, before anything is written', async (t) => {
  const { url, client, config, file } = await setting(t)
  await openSecrets(url, config, (sql) => client.query(sql))
  const before = readFileSync(file, 'utf8')
  t.match(await rotateKey(url, config), { kind: 'refused', sentence: /runs on this database with key .* stop it/ })
  t.equal(readFileSync(file, 'utf8'), before)
  await client.query('SELECT pg_advisory_unlock_all()')
  t.match(await rotateKey(url, config), { kind: 'rotated' })
})

t.test('a key of the environment is rotated to the next text of it', async (t) => {
  const { url, client, config, dataDir, addNas, secretsOfNas } = await setting(t)
  const first = { ...config, secretKey: 'the first passphrase' }
  const old = await start(url, first)
  await addNas(old.seal('s'))
  t.match(await rotateKey(url, first), { kind: 'refused', sentence: /set TOLLGATE_SECRET_KEY_OLD to its present text/ })
  const both = { ...config, secretKey: 'the second passphrase', oldSecretKey: 'the first passphrase' }
  // Programs that know both keys may run meanwhile.
  const secrets = await openSecrets(url, both, (sql) => client.query(sql))
  t.equal(secrets.open((await secretsOfNas())[0]!), 's')
  await t.rejects(start(url, { ...both, oldSecretKey: null }), { message: new RegExp(`sealed with key ${old.keyId}`) })
  await t.rejects(start(url, first), { message: new RegExp(`sealed with key ${secrets.keyId}`) })
  t.match(await rotateKey(url, both), { kind: 'rotated', keyId: secrets.keyId, resealed: 1, keptFiles: [] })
  await start(url, { ...both, oldSecretKey: null })
  t.match(await rotateKey(url, both), { kind: 'refused' }, 'there is nothing left to do')
  t.notOk(existsSync(join(dataDir, 'secret.key')))
})

t.test('a value that no key opens stays, and is counted', async (t) => {
  const all = await setting(t)
  const { url, config, addNas, secretsOfNas } = all
  await start(url, config)
  await fill(all)
  const foreign = new Secrets(Buffer.alloc(32, 9)).seal('x')
  await addNas(foreign, '127.0.0.9')
  t.match(await rotateKey(url, config), { kind: 'rotated', resealed: 4, unreadable: 1 })
  t.equal((await secretsOfNas())[2], foreign)
})

t.test('a key that is lost for good is given up by name only', async (t) => {
  const all = await setting(t)
  const { url, config, file, needed } = all
  await start(url, config)
  await fill(all)
  t.match(await forgetLostKey(url, config), { kind: 'refused', sentence: /not lost/ })
  rmSync(file)
  const outcome = await forgetLostKey(url, config)
  t.equal(outcome.kind, 'forgotten')
  const secrets = await start(url, config)
  t.match(outcome, { keyId: secrets.keyId })
  t.same(await needed(), [secrets.keyId])
})

t.test('a folder that cannot be written leaves the key as it was', { skip: isRoot && 'root may write' }, async (t) => {
  const { url, config, dataDir, needed } = await setting(t)
  const secrets = await start(url, config)
  chmodSync(dataDir, 0o500)
  await t.rejects(rotateKey(url, config), { name: 'StartRefusal', message: /cannot be written/ })
  chmodSync(dataDir, 0o700)
  t.same(await needed(), [secrets.keyId])
})
