import { open } from 'node:fs/promises'
import { sha256 } from '../../src/platform/backup/archive-writer.ts'
import { headName, type Manifest, manifestName, sealName } from '../../src/platform/backup/manifest.ts'
import { tarEntries, tarEntry } from '../../src/platform/backup/tar.ts'

type Rewriting = {
  readonly keepsSeal?: boolean
  /** An entry that is there a second time. */
  readonly twice?: string
  readonly inPlaceOf?: readonly [name: string, content: Buffer]
}

/** The archive with another manifest and other entries, as somebody may make it who can write files. */
export async function rewrittenArchive(
  archive: string,
  change: (manifest: Manifest) => object,
  { keepsSeal = false, twice, inPlaceOf: [changed, content] = ['', Buffer.alloc(0)] }: Rewriting = {},
): Promise<Buffer> {
  const file = await open(archive)
  const entries: { name: string; content: Buffer }[] = []
  for await (const entry of tarEntries(file)) if (entry !== null) entries.push(entry)
  await file.close()
  const whole = entries.find(({ name }) => name === manifestName)!
  const manifest = change(JSON.parse(whole.content.toString())) as Manifest
  const { format, tollgate, madeAt } = manifest
  const head = Buffer.from(JSON.stringify({ format, tollgate, madeAt }))
  for (const entry of entries) if (entry.name === changed) entry.content = content
  entries[0]!.content = head
  const sums = manifest.entries.map((one) =>
    [headName, changed].includes(one.name)
      ? { ...one, sha256: sha256(entries.find(({ name }) => name === one.name)!.content) }
      : one,
  )
  whole.content = Buffer.from(JSON.stringify({ ...manifest, hasKeys: keepsSeal, entries: sums }))
  const kept = entries
    .filter(({ name }) => keepsSeal || name !== sealName)
    .flatMap((entry) => (entry.name === twice ? [entry, entry] : [entry]))
  return Buffer.concat([...kept.map((entry) => tarEntry(entry, new Date())), Buffer.alloc(1_024)])
}
