import { Ajv } from 'ajv'
import Type, { type Static } from 'typebox'
import { BackupRefusal } from './refusal.ts'

/** Grows when an older Tollgate could no longer restore what this one writes. */
export const format = 1

/** The first entry of an archive says what it is, so that nobody reads gigabytes before he refuses it. */
export const headName = 'tollgate.json'
/** The last but one: all that is in it, with checksums. */
export const manifestName = 'manifest.json'
/** The last: the keys of the secrets, sealed by a passphrase, where one was given. */
export const sealName = 'secret-keys.json'

const name = Type.String({ pattern: '^[a-z_][a-z0-9_]*$' })
const column = Type.String({ pattern: '^[ -~]{1,63}$' })
const count = Type.Integer({ minimum: 0 })
/** It is shown to whoever restores the archive. */
const shown = Type.String({ pattern: '^[!-~]{1,100}$' })

const headSchema = Type.Object({
  /** Every archive has these two, whatever comes later. */
  format: Type.Integer({ minimum: 1 }),
  tollgate: shown,
  madeAt: shown,
})

const manifestSchema = Type.Object({
  format: Type.Literal(format),
  tollgate: shown,
  madeAt: shown,
  /** Version of the server that it was read from. */
  postgres: Type.String(),
  /** Names of the migrations that made its tables. */
  migrations: Type.Array(Type.String({ pattern: '^[0-9]+_[a-z0-9_]+$' })),
  tables: Type.Array(Type.Object({ name, columns: Type.Array(column), rows: count, bytes: count })),
  partitions: Type.Array(
    Type.Object({
      name,
      of: name,
      /** As PostgreSQL spells them. */
      bounds: Type.String({ pattern: "^FOR VALUES FROM \\('[^'\\\\]*'\\) TO \\('[^'\\\\]*'\\)$" }),
    }),
  ),
  sequences: Type.Array(
    Type.Object({ name, lastValue: Type.String({ pattern: '^-?[0-9]+$' }), isCalled: Type.Boolean() }),
  ),
  /** Ids of the keys that seal its secrets. */
  secretKeys: Type.Array(shown),
  /** Whether the last entry has these keys. */
  hasKeys: Type.Boolean(),
  entries: Type.Array(Type.Object({ name: shown, bytes: count, sha256: Type.String() })),
})

export type Manifest = Static<typeof manifestSchema>
export type DumpedTable = Manifest['tables'][number]

const ajv = new Ajv({ meta: false, validateSchema: false })
const isHead = ajv.compile(headSchema)
const isManifest = ajv.compile(manifestSchema)

/** Throws BackupRefusal unless these are the first bytes of an archive that this version can read. */
export function readHead(text: string): Static<typeof headSchema> {
  const head = parsed(text)
  if (!isHead(head)) throw new BackupRefusal('The file is no backup of Tollgate: it does not begin as one.')
  const { format: theirs, tollgate } = head as Static<typeof headSchema>
  if (theirs > format)
    throw new BackupRefusal(
      `The archive was made by Tollgate ${tollgate} in a newer format than this version reads: restore it with Tollgate ${tollgate} or newer.`,
    )
  return head as Static<typeof headSchema>
}

export function readManifest(text: string): Manifest {
  const manifest = parsed(text)
  if (!isManifest(manifest)) throw new BackupRefusal('The manifest of the archive is damaged: take another copy of it.')
  return manifest as Manifest
}

/** Null: it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
