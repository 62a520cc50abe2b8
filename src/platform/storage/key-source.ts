import { randomBytes, scryptSync } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { StartRefusal } from '../start-refusal.ts'
import { keyBytes, keyIdOf } from '../secrets/secrets.ts'

/** What the operator has set: the folder of the key file, and the texts of TOLLGATE_SECRET_KEY and _OLD. */
export type KeyConfig = {
  readonly dataDir: string
  readonly secretKey: string | null
  readonly oldSecretKey: string | null
}

/** Where the keys of this installation come from. The first key seals; those after it only open what they sealed. */
export type KeySource =
  /** TOLLGATE_SECRET_KEY, then TOLLGATE_SECRET_KEY_OLD and a key file from before, as far as they are there. */
  | { readonly kind: 'environment'; readonly keys: readonly Buffer[] }
  /** No keys: there is no file. */
  | { readonly kind: 'file'; readonly file: string; readonly keys: readonly Buffer[] }

const fileName = 'secret.key'

/** Throws StartRefusal when the file cannot be read or holds something else. */
export function readKeySource({ dataDir, secretKey, oldSecretKey }: KeyConfig): KeySource {
  const file = join(dataDir, fileName)
  const kept = readKeys(file) ?? []
  if (secretKey === null) return { kind: 'file', file, keys: kept }
  const old = oldSecretKey === null ? [] : [stretched(oldSecretKey)]
  return { kind: 'environment', keys: [stretched(secretKey), ...old, ...kept] }
}

/** Keys as a backup carries them, in hexadecimal. */
export type KeptKeys = {
  /** The key that seals, and those beside it. */
  readonly keys: readonly string[]
  /** Keys from before a rotation, which open backups that were made before it. */
  readonly old: readonly string[]
}

/** Every key of this installation. Throws StartRefusal when a file cannot be read or holds something else. */
export function readKeptKeys(config: KeyConfig): KeptKeys {
  const names = existsSync(config.dataDir) ? readdirSync(config.dataDir) : []
  const old = names
    .filter((name) => /^secret\.key\.[0-9a-f]{8}$/.test(name))
    .flatMap((name) => readKeys(join(config.dataDir, name)) ?? [])
  return { keys: readKeySource(config).keys.map(hex), old: old.map(hex) }
}

/** Writes them into a data folder that has none. */
export function writeKeptKeys(dataDir: string, { keys, old }: KeptKeys): void {
  const file = join(dataDir, fileName)
  if (keys.length > 0) replaceKeyFile(file, keys.map(bytesOf))
  for (const key of old) keepOldKey(file, bytesOf(key))
}

/** Ids of the keys that are in use. */
export const keyIdsOf = ({ keys }: KeptKeys): string[] => keys.map((key) => keyIdOf(bytesOf(key)))

const hex = (key: Buffer): string => key.toString('hex')
const bytesOf = (key: string): Buffer => Buffer.from(key, 'hex')

/** The salt is fixed: every node that is given the same text must arrive at the same key. */
const stretched = (text: string): Buffer =>
  scryptSync(text, 'tollgate secret key', keyBytes, { N: 2 ** 14, r: 8, p: 1 })

function readKeys(file: string): Buffer[] | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new StartRefusal(
      `The key that opens stored secrets cannot be read from ${file}: ${(error as Error).message}.`,
    )
  }
  const lines = text.split(/\s*\n\s*/)
  if (lines.every((line) => /^[0-9a-f]{64}$/.test(line))) return lines.map((line) => Buffer.from(line, 'hex'))
  throw new StartRefusal(
    `${file} does not hold a key (64 hexadecimal digits). Bring it back from a backup: without it stored passwords cannot be read.`,
  )
}

export const newKey = (): Buffer => randomBytes(keyBytes)

/** Makes the first key, and the file (mode 0600). Of two programs that do so one wins, and both have its key. */
export function createKeyFile({ dataDir }: KeyConfig): Buffer {
  const file = join(dataDir, fileName)
  const key = newKey()
  const draft = writeDraft(file, [key])
  try {
    linkSync(draft, file)
    flushFolder(file)
    return key
  } catch (error) {
    const winner = (error as NodeJS.ErrnoException).code === 'EEXIST' ? readKeys(file)?.[0] : null
    if (winner) return winner
    throw unwritable(file, error)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Replaces the file as a whole, so that it holds the old keys or the new ones whenever the machine stops. */
export function replaceKeyFile(file: string, keys: readonly Buffer[]): void {
  const draft = writeDraft(file, keys)
  try {
    renameSync(draft, file)
    flushFolder(file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw unwritable(file, error)
  }
}

/** A key that is no longer needed is kept beside the file, for backups that were made before. Answers its path. */
export function keepOldKey(file: string, key: Buffer): string {
  const kept = `${file}.${keyIdOf(key)}`
  replaceKeyFile(kept, [key])
  return kept
}

/** Written aside, so that nobody reads half a key. */
function writeDraft(file: string, keys: readonly Buffer[]): string {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  const text = keys.map((key) => `${hex(key)}\n`).join('')
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true })
    return draft
  } catch (error) {
    rmSync(draft, { force: true })
    throw unwritable(file, error)
  }
}

/** The name is durable once its folder is. */
function flushFolder(file: string): void {
  const folder = openSync(dirname(file), 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

const unwritable = (file: string, error: unknown): StartRefusal =>
  new StartRefusal(`The key that seals secrets cannot be written to ${file}: ${(error as Error).message}.`)
