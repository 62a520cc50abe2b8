import pg from 'pg'

/** How many clones wait. Tests of all processes together take them more slowly than the server makes them. */
const spares = 4

const prefix = 'tollgate_spare_'
const takenChannel = 'tollgate_spare_taken'

/** Clones of the migrated template made ahead, so that a test does not wait for its database. */
export class SpareDatabases {
  readonly #admin: pg.Client
  readonly #template: string
  #made = 0
  #isStopped = false
  #work: Promise<void> = Promise.resolve()

  private constructor(admin: pg.Client, template: string) {
    this.#admin = admin
    this.#template = template
  }

  static async open(serverUrl: string, template: string): Promise<SpareDatabases> {
    const admin = new pg.Client({ connectionString: serverUrl })
    // A run that fails stops the server, and its own error is the one to be read.
    admin.on('error', () => {})
    await admin.connect()
    await admin.query(`LISTEN ${takenChannel}`)
    const all = new SpareDatabases(admin, template)
    admin.on('notification', () => all.#makeOne())
    for (let i = 0; i < spares; i++) all.#makeOne()
    return all
  }

  /** Those that nobody took are gone afterwards. */
  async close(): Promise<void> {
    this.#isStopped = true
    await this.#work
    const { rows } = await this.#admin.query<{ datname: string }>(spareNames)
    for (const { datname } of rows) await this.#admin.query(`DROP DATABASE ${datname}`)
    await this.#admin.end()
  }

  #makeOne(): void {
    this.#work = this.#work.then(async () => {
      if (this.#isStopped) return
      // Under another name until it is whole.
      const name = `${prefix}${process.pid}_${this.#made++}`
      // Whoever finds none makes one.
      await this.#admin.query(cloneOf(this.#template, name)).catch(() => null)
    })
  }
}

const spareNames = `SELECT datname FROM pg_database WHERE starts_with(datname, '${prefix}')`

/**
 * By files: to write the eleven megabytes into the log costs a third more, and twice as much again when the database is
 * dropped.
 */
export const cloneOf = (template: string, name: string): string =>
  `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`

/** A clone made ahead gets this name. False when there is none: the run has no spares, or all are taken. */
export async function takeSpare(admin: pg.Client, name: string): Promise<boolean> {
  const { rows } = await admin.query<{ datname: string }>(`${spareNames} ORDER BY random()`)
  for (const { datname } of rows) {
    // Another process may be quicker.
    const taken = await admin.query(`ALTER DATABASE ${datname} RENAME TO ${name}`).catch(() => null)
    if (!taken) continue
    await admin.query(`NOTIFY ${takenChannel}`)
    return true
  }
  return false
}
