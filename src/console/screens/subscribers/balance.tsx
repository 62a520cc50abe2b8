import { isNegative, useFormat } from '../../format/format.ts'
import styles from './subscribers.module.css'

/** Money that is owed stands out; what is there does not. */
export function Balance({ balance }: { readonly balance: string }) {
  const format = useFormat()
  return <span className={isNegative(balance) ? styles.debt : undefined}>{format.money(balance)}</span>
}
