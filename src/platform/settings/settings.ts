import type { PoolClient } from 'pg'
import type { Log } from '../log.ts'
import { type Destinations, privateAddressesVariable } from '../outgoing/destinations.ts'
import { StartRefusal } from '../start-refusal.ts'
import { watchChanges } from '../storage/changes.ts'
import { asUnavailable, type Database } from '../storage/database.ts'
import { SystemSetting } from '../storage/entities/program.ts'
import type { RowOf } from '../storage/entity.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { persisting } from '../storage/transactions.ts'
import {
  entryOf,
  isSettingName,
  type SettingName,
  type SettingValue,
  type SettingValues,
  settingNames,
} from './catalog.ts'

/** As a screen may show it; for a secret only whether there was and is one. */
type SettingChange = { readonly name: SettingName; readonly before: unknown; readonly after: unknown }

/** Writes the audit of who made the change, in the transaction of the change. */
export type AlongWithChange = (client: PoolClient, changes: readonly SettingChange[]) => Promise<void>

export type SetOutcome = { changed: readonly SettingName[] } | { errors: Readonly<Record<string, string>> }

type SettingsParts = {
  readonly database: Database
  readonly secrets: Secrets
  readonly log: Log
  readonly destinations: Pick<Destinations, 'admitsHost'>
}
type ChangeListener = (changed: ReadonlySet<SettingName>) => void

/** What the settings screen says of an address or a secret, beside what their kinds say. */
export const addressErrors = {
  private: `It is an address of a private network that ${privateAddressesVariable} does not list.`,
  secretMissing: 'Enter it again, because the address of the service changes.',
} as const

const mask = '***'
const retryMs = 1000

/** Live values of every business setting. Reading one never waits; memory follows the table, whoever writes it. */
export class Settings {
  readonly #parts: SettingsParts
  readonly #listeners = new Set<ChangeListener>()
  #values = defaults()
  #reading: Promise<void> = Promise.resolve()
  #stopWatching: () => void = () => {}
  #retry: NodeJS.Timeout | undefined

  constructor(parts: SettingsParts) {
    this.#parts = parts
  }

  /** Called once, by loadSettings. */
  async start(): Promise<void> {
    this.#stopWatching = watchChanges(this.#parts.database, ({ table }) => {
      if (table === 'system_settings') this.#follow()
    })
    await this.reload()
  }

  get<N extends SettingName>(name: N): SettingValue<N> {
    return this.#values[name]
  }

  list() {
    return settingNames.map((name) => {
      const { kind, default: fallback, description, secret } = entryOf(name)
      return {
        name,
        value: shownOf(name, this.#values[name]),
        default: kind.shown(fallback),
        type: kind.type,
        description,
        secret,
        must: kind.must,
        format: kind.format,
        ...(kind.choices && { choices: kind.choices }),
        ...(kind.least !== undefined && { least: kind.least, most: kind.most }),
      }
    })
  }

  /**
   * All or nothing: one wrong value or unknown name, and nothing is written. A secret sent back masked stays as it is,
   * but a new address of a service wants its secret again, or it would go where somebody else has led it.
   */
  async set(values: Readonly<Record<string, unknown>>, along?: AlongWithChange): Promise<SetOutcome> {
    const isMasked = ([name, value]: [string, unknown]) => value === mask && isSettingName(name) && entryOf(name).secret
    const reading = readValues(Object.fromEntries(Object.entries(values).filter((entry) => !isMasked(entry))))
    if ('errors' in reading) return reading
    const errors = this.#addressErrors(reading.values)
    if (Object.keys(errors).length > 0) return { errors }
    const wanted = [...reading.values]
    const changes = wanted
      .filter(([name, value]) => value !== this.#values[name])
      .map(([name, value]) => ({ name, before: shownOf(name, this.#values[name]), after: shownOf(name, value) }))
    // TIME_ZONE itself may be what is wrong, so nothing here depends on it.
    const scope = { database: this.#parts.database, timeZone: () => 'UTC' }
    await persisting(scope, async (client, manager) => {
      const rows = wanted.map(([name, value]) => ({ name, value: this.#stored(name, value), updated_at: new Date() }))
      if (rows.length > 0) await manager.upsertMany(SystemSetting, rows, { onConflictMergeFields: ['value'] })
      await along?.(client, changes)
    })
    await this.reload()
    return { changed: changes.map(({ name }) => name) }
  }

  /** The returned function removes the listener. */
  onChange(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Reads the table again and notifies listeners of what differs. Readings run one after another, so the last one wins.
   */
  reload(): Promise<void> {
    this.#reading = this.#reading.catch(() => {}).then(() => this.#read())
    return this.#reading
  }

  stop(): void {
    this.#stopWatching()
    clearTimeout(this.#retry)
    this.#retry = undefined
  }

  /** This change will not be notified again, so a reading that fails is repeated. */
  #follow(): void {
    this.reload().catch((error) => {
      this.#parts.log.warn('settings could not be read; trying again', { error })
      clearTimeout(this.#retry)
      this.#retry = setTimeout(() => this.#follow(), retryMs).unref()
    })
  }

  async #read(): Promise<void> {
    type Row = RowOf<typeof SystemSetting, 'name' | 'value'>
    const { rows } = await this.#query<Row>('SELECT name, value FROM system_settings', [])
    const values: Record<SettingName, unknown> = defaults()
    for (const { name, value } of rows) {
      // A row of a newer or an older Tollgate on the same database.
      if (isSettingName(name)) values[name] = this.#understood(name, value)
    }
    const changed = new Set(settingNames.filter((name) => values[name] !== this.#values[name]))
    // Each value came from its own kind.
    this.#values = values as SettingValues
    if (changed.size > 0) for (const listener of this.#listeners) this.#notify(listener, changed)
  }

  /** A value that cannot be used is replaced by the default until somebody repairs it. */
  #understood(name: SettingName, stored: string): unknown {
    const { kind, default: fallback, secret } = entryOf(name)
    try {
      // A secret is encrypted once it has a value; the default of a migration is empty.
      const text = secret && stored !== '' ? this.#parts.secrets.open(stored) : stored
      const value = kind.read(text)
      if (value !== null) return value
      const outdated = kind.readOutdated?.(text) ?? null
      if (outdated !== null) {
        this.#parts.log.warn('a stored setting is used although it breaks the rule of today; set another one', {
          setting: name,
          rule: `it must ${kind.must}`,
        })
        return outdated
      }
      this.#parts.log.warn('a stored setting is wrong, its default is used', {
        setting: name,
        rule: `it must ${kind.must}`,
      })
    } catch (error) {
      this.#parts.log.warn('a stored setting cannot be opened, its default is used', { setting: name, error })
    }
    return fallback
  }

  #addressErrors(wanted: ReadonlyMap<SettingName, unknown>): Record<string, string> {
    const errors: Record<string, string> = {}
    for (const [name, value] of wanted) {
      const { secretOfAddress: secret } = entryOf(name)
      const address = typeof value === 'string' ? URL.parse(value) : null
      if (!secret || !address || value === this.#values[name]) continue
      if (!this.#parts.destinations.admitsHost(address.hostname)) errors[name] = addressErrors.private
      if (this.#values[secret] !== '' && !wanted.has(secret)) errors[secret] = addressErrors.secretMissing
    }
    return errors
  }

  #stored(name: SettingName, value: unknown): string {
    const { kind, secret } = entryOf(name)
    const text = kind.text(value)
    return secret && text !== '' ? this.#parts.secrets.seal(text) : text
  }

  /**
   * Applies the values to settings that still have the default of a migration. Throws StartRefusal naming every wrong
   * value.
   */
  async setFirst(first: Readonly<Record<string, string>>): Promise<void> {
    // A value that broke no rule when it was put there must not keep an update from starting.
    const outdated = Object.keys(first).filter((name) => isOutdated(name, first[name]!))
    for (const name of outdated) {
      const rule = isSettingName(name) ? `it must ${entryOf(name).kind.must}` : ''
      this.#parts.log.warn('a setting of the environment breaks the rule of today and is not taken', {
        variable: `TOLLGATE_SETTING_${name}`,
        rule,
      })
    }
    const reading = readValues(Object.fromEntries(Object.entries(first).filter(([name]) => !outdated.includes(name))))
    if ('errors' in reading) {
      const problems = Object.entries(reading.errors).map(([name, text]) => `TOLLGATE_SETTING_${name}: ${text}`)
      throw new StartRefusal(`Settings in the environment are wrong. ${problems.join(' ')}`)
    }
    const rows = [...reading.values]
    if (rows.length === 0) return
    // By SQL, because a start must not load MikroORM.
    await this.#query(
      `INSERT INTO system_settings (name, value, updated_at)
        SELECT name, value, now() FROM unnest($1::text[], $2::text[]) AS row(name, value)
        ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE system_settings.updated_at IS NULL`,
      [rows.map(([name]) => name), rows.map(([name, value]) => this.#stored(name, value))],
    )
  }

  async #query<R extends object>(text: string, values: unknown[]): Promise<{ rows: R[] }> {
    try {
      return await this.#parts.database.pool.query<R>(text, values)
    } catch (error) {
      throw asUnavailable(error) ?? error
    }
  }

  #notify(listener: ChangeListener, changed: ReadonlySet<SettingName>): void {
    try {
      listener(changed)
    } catch (error) {
      this.#parts.log.error('a listener of settings failed', { error })
    }
  }
}

/** `first`: values of TOLLGATE_SETTING_<NAME> by name; they count only until somebody has set a setting. */
export async function loadSettings(
  parts: SettingsParts,
  first: Readonly<Record<string, string>> = {},
): Promise<Settings> {
  const settings = new Settings(parts)
  await settings.setFirst(first)
  await settings.start()
  return settings
}

function shownOf(name: SettingName, value: unknown): boolean | number | string {
  const { kind, secret } = entryOf(name)
  const shown = kind.shown(value)
  return secret && shown !== '' ? mask : shown
}

const isOutdated = (name: string, value: string): boolean => {
  if (!isSettingName(name)) return false
  const { kind } = entryOf(name)
  return kind.read(value) === null && (kind.readOutdated?.(value) ?? null) !== null
}

const defaults = () =>
  Object.fromEntries(settingNames.map((name) => [name, entryOf(name).default])) as unknown as SettingValues

function readValues(
  values: Readonly<Record<string, unknown>>,
): { values: ReadonlyMap<SettingName, unknown> } | { errors: Record<string, string> } {
  const read = new Map<SettingName, unknown>()
  const errors: Record<string, string> = {}
  for (const [name, input] of Object.entries(values)) {
    if (!isSettingName(name)) errors[name] = 'There is no such setting.'
    else {
      const { kind } = entryOf(name)
      const value = kind.read(input)
      if (value === null) errors[name] = `It must ${kind.must}.`
      else read.set(name, value)
    }
  }
  return Object.keys(errors).length > 0 ? { errors } : { values: read }
}
