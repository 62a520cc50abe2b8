import { writeArchive } from './archive-file.ts'
import { type MadeBackup, makeBackup } from './backup.ts'
import type { ThreadOrder } from './thread.ts'

/** The thread of backUpInThread runs this. */
export default async ({ path, told, ...order }: ThreadOrder): Promise<MadeBackup> =>
  await writeArchive(path, (write) => makeBackup({ ...order, tell: (far) => told.postMessage(far) }, write))
