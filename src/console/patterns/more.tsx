import { Button } from '@mantine/core'
import { commonTexts } from '../frame/texts.ts'
import { useTexts } from '../texts/texts.ts'

type MoreProps = {
  readonly of: {
    readonly hasNextPage: boolean
    readonly isFetchingNextPage: boolean
    readonly fetchNextPage: () => unknown
  }
}

/** Asks for the next page of what stands above it, where there is one. */
export function More({ of: { hasNextPage, isFetchingNextPage, fetchNextPage } }: MoreProps) {
  const { more } = useTexts(commonTexts)
  return (
    hasNextPage && (
      <Button variant="default" mt="sm" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {more}
      </Button>
    )
  )
}
