import type { FileHandle } from 'node:fs/promises'
import { Header } from 'tar'
import { BackupRefusal } from './refusal.ts'

export type Entry = { readonly name: string; readonly content: Buffer }

const blockBytes = 512
/** An entry is held in memory as a whole. Ours are much smaller, so that anything larger is no archive of ours. */
const entryBytesMax = 256 * 2 ** 20

const padding = (bytes: number): number => (blockBytes - (bytes % blockBytes)) % blockBytes

/** The bytes of one file in a tar archive (POSIX ustar). */
export function tarEntry({ name, content }: Entry, madeAt: Date): Buffer {
  const header = Buffer.alloc(blockBytes)
  const needsMore = new Header({
    path: name,
    mode: 0o600,
    uid: 0,
    gid: 0,
    size: content.length,
    mtime: madeAt,
    type: 'File',
  }).encode(header)
  if (needsMore) throw new BackupRefusal(`The name ${name} is too long for an archive; rename that file.`)
  return Buffer.concat([header, content, Buffer.alloc(padding(content.length))])
}

export const tarEnd: Buffer = Buffer.alloc(2 * blockBytes)

/**
 * The entries of a tar file in their order, and null at its end; one that is cut off has no end. Throws BackupRefusal
 * where it is no tar of plain files.
 */
export async function* tarEntries(file: FileHandle): AsyncGenerator<Entry | null> {
  for (let at = 0; ; ) {
    const block = await readFrom(file, at, blockBytes)
    if (block.length < blockBytes) return
    const header = headerOf(block)
    if (header?.nullBlock) {
      yield null
      return
    }
    const { cksumValid, path, size = 0, type } = header ?? {}
    if (!cksumValid || path === undefined || !isName(path) || type !== 'File' || size > entryBytesMax)
      throw new BackupRefusal('The file is damaged, or it is no backup of Tollgate: take another copy of it.')
    const content = await readFrom(file, at + blockBytes, size)
    if (content.length < size) return
    yield { name: path, content }
    at += blockBytes + size + padding(size)
  }
}

/** Null: it is none, such as one whose size no number of ours can be. */
function headerOf(block: Buffer): Header | null {
  try {
    return new Header(block, 0)
  } catch {
    return null
  }
}

/** Names are shown when something is wrong with the archive. */
const isName = (path: string): boolean => /^[!-~]+$/.test(path)

/** Fewer bytes where the file ends. */
async function readFrom(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, start + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}
