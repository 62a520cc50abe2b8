import type { Item } from '../../api/client.ts'
import { isClient } from '../../format/by-client.ts'
import { useFormat } from '../../format/format.ts'
import { storedText } from '../../format/stored.ts'
import { Empty } from '../../patterns/empty.tsx'
import { usePages } from '../../patterns/list/pages.ts'
import { More } from '../../patterns/more.tsx'
import { useTexts } from '../../texts/texts.ts'
import { useProgramWords } from '../../texts/use-program-words.ts'
import { useSayFaults } from '../messages/words.ts'
import { jobNames } from '../jobs/texts.ts'
import styles from './log.module.css'
import { actionTexts, fieldTexts, logTexts, valueTexts } from './log-texts.ts'
import { useSubscriber } from './use-subscriber.ts'

const endpoint = 'GET /admin/Abonents/log/{id}/'
type Entry = Item<typeof endpoint>
type Change = Entry['changes'][number]

/** All that was done to the subscriber, in words, day by day. */
export default function Log() {
  const t = useTexts(logTexts)
  const format = useFormat()
  const { id } = useSubscriber().subscriber
  const { query, rows } = usePages(endpoint, { path: { id }, query: {} })
  if (query.isError && rows.length === 0) throw query.error
  if (!query.isPending && rows.length === 0) return <Empty title={t.none} />
  const days = Map.groupBy(rows, ({ at }) => format.day(at))
  return (
    <div aria-busy={query.isFetching}>
      {[...days].map(([day, entries]) => (
        <section key={day} className={styles.day}>
          <h2>{day}</h2>
          <ol>
            {entries.map((entry) => (
              <LogEntry key={entry.id} entry={entry} />
            ))}
          </ol>
        </section>
      ))}
      <More of={query} />
    </div>
  )
}

function LogEntry({ entry }: { readonly entry: Entry }) {
  const format = useFormat()
  const author = useAuthor()
  const say = useAction()
  const sayFaults = useSayFaults()
  const changes = entry.changes
    .filter((change) => !isNothing(change))
    .map((change) =>
      change.field === 'error' && entry.faults
        ? { ...change, after_name: sayFaults({ faults: entry.faults }) }
        : change,
    )
  return (
    <li className={styles.entry}>
      <time dateTime={entry.at}>{format.clock(entry.at)}</time>
      <div>
        <p>
          <strong>{say(entry)}</strong> <span className={styles.author}>{author(entry)}</span>
        </p>
        {changes.length > 0 && (
          <ul className={styles.changes}>
            {changes.map((change) => (
              <li key={change.field}>
                <ChangeWords change={change} isNew={entry.action === 'create'} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  )
}

/** Numbers of records, which the entry stands for anyway, and what has only been worked out of other fields. */
const unsaid: ReadonlySet<string> = new Set([
  'id',
  'abonent',
  'abonent_id',
  'deleted',
  'block',
  'attributes',
  'messages',
])

/** What a new record does not have is not worth a word. */
const isNothing = ({ field, before, after }: Change): boolean =>
  unsaid.has(field) || (isEmpty(before) && isEmpty(after))

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  JSON.stringify(value) === '{}' ||
  JSON.stringify(value) === '[]'

function useAction(): (entry: Entry) => string {
  const said = useTexts(actionTexts) as Readonly<Record<string, string>>
  const words = useProgramWords()
  const t = useTexts(logTexts)
  return ({ kind, action, object }) => {
    const done = said[`${kind}.${action}`] ?? `${kind}: ${action}`
    if (object.name !== null) return `${done}: ${words(object.name)}`
    return kind === 'operation' || kind === 'ticket' ? t.numbered(done, object.id) : done
  }
}

function useAuthor(): (entry: Entry) => string {
  const t = useTexts(logTexts)
  const jobs = useTexts(jobNames) as Readonly<Record<string, string>>
  return ({ user, address }) => {
    if (user === null) return t.bySystem
    const name = isClient(user) ? t.byClient : (jobs[user] ?? user)
    return address === null ? name : `${name}, ${address}`
  }
}

function ChangeWords({ change, isNew }: { readonly change: Change; readonly isNew: boolean }) {
  const names = useTexts(fieldTexts) as Readonly<Record<string, string>>
  const value = useValue()
  const words = useProgramWords()
  const t = useTexts(logTexts)
  const { field, before, after, before_name: beforeName, after_name: afterName } = change
  const [was, is] = [words(beforeName ?? value(field, before)), words(afterName ?? value(field, after))]
  return (
    <>
      <span className={styles.field}>{names[field] ?? field}:</span>{' '}
      {isSecret(change) ? t.isNew : isNew || isEmpty(before) ? is : `${was} → ${is}`}
    </>
  )
}

/** Of a password the audit says that there is another one. */
const isSecret = ({ field, after }: Change): boolean => field === 'password' && after === '***'

function useValue(): (field: string, value: unknown) => string {
  const t = useTexts(logTexts)
  const format = useFormat()
  const known = useTexts(valueTexts) as Readonly<Record<string, string>>
  return (field, value) => {
    if (value === '***') return t.hidden
    if (isEmpty(value)) return t.nothing
    if (typeof value === 'boolean') return value ? t.yes : t.no
    if (typeof value === 'string') return known[`${field}.${value}`] ?? storedText(field, value, format)
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  }
}
