import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { useAddressFilters } from '../../patterns/list/address.ts'
import { useTexts } from '../../texts/texts.ts'
import styles from './network.module.css'
import { reasonTexts, signInTexts } from './sign-in-texts.ts'

export const reasonsEndpoint = 'GET /admin/radius/log/reasons/'

/** Why sign-ins were rejected within the last hour, with the numbers; each reason is a filter of the list below. */
export function TopReasons() {
  const t = useTexts(signInTexts)
  const reasons = useTexts(reasonTexts)
  const format = useFormat()
  const [{ login, mac, nas, abonent, reason: chosen }, change] = useAddressFilters()
  const query = {
    ...(login && { login }),
    ...(mac && { mac }),
    ...(nas && { nas: Number(nas) }),
    ...(abonent && { abonent: Number(abonent) }),
  }
  const { data } = useEndpoint(reasonsEndpoint, { query })
  if (!data) return null
  return (
    <p className={styles.topReasons}>
      <span>{data.items.length === 0 ? t.quietHour : t.lastHour}</span>
      {data.items.map(({ reason, count }) => (
        <button
          key={reason}
          type="button"
          aria-pressed={reason === chosen}
          onClick={() => change({ reason: reason === chosen ? undefined : reason })}
        >
          {reasons[reason]} <b>{format.number(count)}</b>
        </button>
      ))}
    </p>
  )
}
