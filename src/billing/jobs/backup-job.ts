import type { ClientBase } from 'pg'
import { keepNewest } from '../../platform/backup/archive-file.ts'
import type { MadeBackup } from '../../platform/backup/backup.ts'
import { BackupRefusal } from '../../platform/backup/refusal.ts'
import { backUpInThread } from '../../platform/backup/thread.ts'
import type { KeyConfig } from '../../platform/storage/key-source.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { type Job, JobFailure, type JobResult } from './jobs.ts'

type Parts = {
  readonly url: string
  readonly settings: Pick<Settings, 'get'>
  readonly keys: KeyConfig
  readonly version: string
}

/** backup: an archive in BACKUP_FOLDER each night, of which the newest BACKUP_KEEP stay. No folder: it makes none. */
export const backupJob = ({ url, settings, keys, version }: Parts): Job => ({
  name: 'backup',
  async run(now, signal, tell) {
    const folder = settings.get('BACKUP_FOLDER')
    if (folder === '') return { not_made: 'folder_not_set' }
    const passphrase = settings.get('BACKUP_PASSPHRASE') || null
    const order = { url, keys, version, passphrase, now, folder }
    try {
      const made = await backUpInThread({ ...order, tell: ({ done, total }) => tell?.(done, total) }, signal)
      const removed = await keepNewest(folder, settings.get('BACKUP_KEEP'))
      return { ...resultOf(made), file: made.path, archives_removed: removed }
    } catch (error) {
      // It crosses the border of threads without its class.
      if (error instanceof Error && error.name === BackupRefusal.name) throw new JobFailure(error.message, {})
      throw error
    }
  },
})

const resultOf = ({ bytes, tables, rows }: MadeBackup): JobResult => ({ bytes, tables, rows })

/** A backup that was made by hand or by a timer of the system counts like one of the job. */
export const noteBackup = (client: Pick<ClientBase, 'query'>, began: Date, made: MadeBackup) =>
  client.query(`INSERT INTO job_runs (name, started_at, ended_at, ok, result) VALUES ('backup', $1, now(), true, $2)`, [
    began,
    resultOf(made),
  ])

/** When the last backup was made; null before the first one. */
export async function lastBackup(client: Pick<ClientBase, 'query'>): Promise<Date | null> {
  const { rows } = await client.query<{ started_at: Date }>(
    `SELECT started_at FROM job_runs WHERE name = 'backup' AND ok AND result ? 'bytes' ORDER BY started_at DESC LIMIT 1`,
  )
  return rows[0]?.started_at ?? null
}
