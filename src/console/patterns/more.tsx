import { Button } from '@mantine/core'
import { commonTexts } from '../frame/texts.ts'
import { useTexts } from '../texts/texts.ts'
import { growByPage, type Growing } from './list/pages.ts'

type MoreProps = {
  readonly of: Growing & { readonly hasNextPage: boolean; readonly isFetchingNextPage: boolean }
}

/** Asks for the next page of what stands above it, where there is one. */
export function More({ of: list }: MoreProps) {
  const { more } = useTexts(commonTexts)
  return (
    list.hasNextPage && (
      <Button variant="default" mt="sm" loading={list.isFetchingNextPage} onClick={() => void growByPage(list)}>
        {more}
      </Button>
    )
  )
}
