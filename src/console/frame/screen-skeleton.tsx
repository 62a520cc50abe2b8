import { Skeleton, VisuallyHidden } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'
import { commonTexts } from './texts.ts'

/** A screen whose code is on its way: its title and the first lines of whatever it has. */
export function ScreenSkeleton() {
  const t = useTexts(commonTexts)
  return (
    <div aria-busy="true">
      <VisuallyHidden role="status">{t.loading}</VisuallyHidden>
      <Skeleton height={26} width={220} mb="lg" />
      {[90, 70, 80].map((width) => (
        <Skeleton key={width} height={16} width={`${width}%`} my="sm" />
      ))}
    </div>
  )
}
