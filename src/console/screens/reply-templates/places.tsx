import { useTexts } from '../../texts/texts.ts'
import styles from './templates.module.css'
import { replyTemplateTexts } from './texts.ts'

/** What may stand in a value in place of the speed, the VLAN and the list of debtors. */
export function Places() {
  const t = useTexts(replyTemplateTexts)
  const places = [
    ['{down_kbit} {up_kbit} {down_bit} {up_bit}', t.speed],
    ['{down_rate} {up_rate}', t.rate],
    ['{down_burst} {up_burst} {burst}', t.burst],
    ['{down_burst_max} {up_burst_max}', t.burstMax],
    ['{vlan}', t.vlan],
    ['{list}', t.list],
  ] as const
  return (
    <details className={styles.places}>
      <summary>{t.places}</summary>
      <p>{t.placesRule}</p>
      <dl>
        {places.map(([names, meaning]) => (
          <div key={names}>
            <dt>{names}</dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
