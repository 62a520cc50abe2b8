import { useMe } from '../api/me.tsx'
import { useFormat } from '../format/format.ts'
import { useSystemState } from '../live/use-gauges.ts'
import { useLiveState } from '../live/use-live.ts'
import { Icon } from '../patterns/icon.tsx'
import { useTexts } from '../texts/texts.ts'
import styles from './frame.module.css'
import { frameTexts } from './texts.ts'

/** What everybody must know at once: the connection, and the state of the program itself. */
export function Banners() {
  const t = useTexts(frameTexts)
  const format = useFormat()
  const me = useMe()
  const live = useLiveState()
  const system = useSystemState()
  const said = [
    live === 'lost' && t.lost,
    system?.database_up === false && t.databaseAway,
    (system?.spool_bytes ?? 0) > 0 && t.spool(format.bytes(system!.spool_bytes)),
    (system?.read_only ?? me.read_only) && t.readOnly,
  ].filter((text) => text !== false)
  if (said.length === 0) return null
  return (
    <div className={styles.banners} role="alert">
      {said.map((text) => (
        <p key={text}>
          <Icon name="warning" size={16} /> {text}
        </p>
      ))}
    </div>
  )
}
