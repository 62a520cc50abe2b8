import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useTexts } from '../../../texts/texts.ts'
import { composeTexts } from '../../messages/texts.ts'
import type { Meant } from './dialog.tsx'

const to = '/messages/mailings/new/'

/** Leads to a new mailing to many. Marked ones are too many for an address, and come with its entry in the history. */
export function MessageAction({ meant }: { readonly meant: Meant }) {
  const t = useTexts(composeTexts)
  const navigate = useNavigate()
  const write = () => {
    if ('filter' in meant) return navigate({ to, search: { show: 'all', ...meant.filter } as never })
    return navigate({ to, state: { ids: meant.ids } as never })
  }
  return (
    <Button variant="default" onClick={() => void write()}>
      {t.action}
    </Button>
  )
}
