import { Popover, VisuallyHidden } from '@mantine/core'
import { useMe } from '../api/me.tsx'
import { useFormat } from '../format/format.ts'
import { useSystemState } from '../live/use-gauges.ts'
import { useLiveState } from '../live/use-live.ts'
import { Icon } from '../patterns/icon.tsx'
import { useTexts } from '../texts/texts.ts'
import styles from './frame.module.css'
import { frameTexts } from './texts.ts'

/**
 * What everybody must know at once: the connection, and the state of the program itself. It comes by itself, so it has
 * a place in the head, where it moves and covers nothing that somebody is about to press.
 */
export function Notices() {
  const t = useTexts(frameTexts)
  const said = useSaid()
  const [first, ...others] = said
  return (
    <div>
      <VisuallyHidden role="alert">{said.map(({ says }) => says).join(' ')}</VisuallyHidden>
      {first && (
        <Popover position="bottom-end" withArrow>
          <Popover.Target>
            <button type="button" className={styles.notice} title={t.notices}>
              <Icon name="warning" size={16} />
              <span className={styles.sentence}>{first.says}</span>
              <span className={styles.inShort}>{first.inShort}</span>
              {others.length > 0 && <span>+{others.length}</span>}
            </button>
          </Popover.Target>
          <Popover.Dropdown>
            {said.map(({ says }) => (
              <p key={says}>{says}</p>
            ))}
          </Popover.Dropdown>
        </Popover>
      )}
    </div>
  )
}

/** The whole sentence, and as much of it as a telephone has room for. */
type Said = { readonly says: string; readonly inShort: string }

function useSaid(): readonly Said[] {
  const t = useTexts(frameTexts)
  const format = useFormat()
  const me = useMe()
  const live = useLiveState()
  const system = useSystemState()
  const said: readonly (Said | false | undefined)[] = [
    live === 'lost' && { says: t.lost, inShort: t.lostInShort },
    system?.database_up === false && { says: t.databaseAway, inShort: t.databaseAwayInShort },
    system !== null &&
      system.spool_bytes > 0 && { says: t.spool(format.bytes(system.spool_bytes)), inShort: t.spoolInShort },
    (system?.read_only ?? me.read_only) && { says: t.readOnly, inShort: t.readOnlyInShort },
  ]
  return said.filter((one): one is Said => Boolean(one))
}
