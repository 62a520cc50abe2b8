import styles from './patterns.module.css'

type ListingProps = {
  readonly text: string
  /** Long lines are broken; otherwise they are scrolled to. */
  readonly wraps?: boolean
}

/** Text for programs as it is: an example, a configuration, a body. */
export function Listing({ text, wraps = false }: ListingProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reached by keys
    <pre className={wraps ? `${styles.listing} ${styles.wrapped}` : styles.listing} tabIndex={0}>
      {text}
    </pre>
  )
}
