import type { Filters } from './address.ts'
import styles from './list.module.css'

/** A quick filter: a value of its parameter, and what it is called. */
export type Chip = { readonly value: string; readonly label: string }

type ChipsProps = {
  readonly label: string
  readonly parameter: string
  readonly list: readonly Chip[]
  readonly chosen: string
  readonly onChange: (change: Filters) => void
}

export const Chips = ({ label, parameter, list, chosen, onChange }: ChipsProps) => (
  <fieldset className={styles.chips} aria-label={label}>
    {list.map(({ value, label }) => (
      <button
        key={value}
        type="button"
        className={styles.chip}
        aria-pressed={value === chosen}
        onClick={() => onChange({ [parameter]: value || undefined })}
      >
        {label}
      </button>
    ))}
  </fieldset>
)
