import { Skeleton } from '@mantine/core'
import styles from './frame.module.css'

/** The frame before it is known who is signed in. */
export function FrameSkeleton() {
  return (
    <div className={styles.frame} aria-busy="true">
      <div className={styles.railSkeleton}>
        {[120, 90, 110, 70, 100].map((width) => (
          <Skeleton key={width} height={14} width={width} my={14} />
        ))}
      </div>
      <div className={styles.side}>
        <div className={styles.head} />
      </div>
    </div>
  )
}
