import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { Piscina } from 'piscina'
import { archiveIn } from './archive-file.ts'
import type { BackupOrder, MadeBackup } from './backup.ts'
import type { Told } from './dump.ts'
import { siblingModule } from '../sibling-module.ts'

/** What the thread is given: the order with a port in place of a function. */
export type ThreadOrder = Omit<BackupOrder, 'tell'> & { readonly path: string; readonly told: MessagePort }

/**
 * Makes an archive in the folder, in a thread of its own, because compressing it would keep the main thread from
 * answering for long. A thread that is told to stop leaves a file that ends in `.partial`.
 */
export async function backUpInThread(
  order: Omit<BackupOrder, 'tell'> & { readonly folder: string; readonly tell: Told },
  signal: AbortSignal,
): Promise<MadeBackup & { readonly path: string }> {
  const { folder, tell, ...of } = order
  const path = await archiveIn(folder, order.now)
  const { port1, port2: told } = new MessageChannel()
  port1.on('message', tell)
  const pool = new Piscina<ThreadOrder, MadeBackup>({
    filename: siblingModule(import.meta.url, 'worker').href,
    minThreads: 0,
    maxThreads: 1,
  })
  try {
    return { ...(await pool.run({ ...of, path, told }, { signal, transferList: [told] })), path }
  } finally {
    port1.close()
    await pool.destroy()
  }
}
