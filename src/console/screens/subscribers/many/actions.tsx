import { Button } from '@mantine/core'
import { type ComponentType, useState } from 'react'
import type { Right } from '../../../../domain/staff-user.ts'
import { useMay } from '../../../api/me.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { BlockDialog, OpenDialog } from './blocks.tsx'
import type { DialogProps, Meant } from './dialog.tsx'
import { MessageAction } from './message.tsx'
import { PromiseDialog } from './promise.tsx'
import { TariffDialog } from './tariff.tsx'
import { manyTexts } from './texts.ts'

type ManyAction = {
  /** Also the name of its text. */
  readonly id: 'block' | 'open' | 'tariff' | 'promise'
  readonly right: Right
  readonly isDangerous?: true
  readonly Dialog: ComponentType<DialogProps>
}

/** What may be done with many subscribers at once, in the order of its buttons. */
const actions: readonly ManyAction[] = [
  { id: 'block', right: 'change', isDangerous: true, Dialog: BlockDialog },
  { id: 'open', right: 'change', Dialog: OpenDialog },
  { id: 'tariff', right: 'change', Dialog: TariffDialog },
  { id: 'promise', right: 'money', Dialog: PromiseDialog },
]

/** The actions that the user may do; null where there is none, so that nothing can be marked. */
export function useManyActions(): readonly ManyAction[] | null {
  const may = useMay()
  const offered = actions.filter(({ right }) => may(right))
  return offered.length > 0 ? offered : null
}

type BarProps = { readonly actions: readonly ManyAction[]; readonly meant: Meant; readonly onDone: () => void }

export function ManyActions({ actions, meant, onDone }: BarProps) {
  const t = useTexts(manyTexts)
  const may = useMay()
  const [open, setOpen] = useState<ManyAction | null>(null)
  return (
    <>
      {actions.map((action) => (
        <Button
          key={action.id}
          variant={action.isDangerous ? 'filled' : 'default'}
          color={action.isDangerous ? 'red' : 'brand'}
          onClick={() => setOpen(action)}
        >
          {t[action.id]}
        </Button>
      ))}
      {may('change') && <MessageAction meant={meant} />}
      {open && <open.Dialog meant={meant} onClose={() => setOpen(null)} onDone={onDone} />}
    </>
  )
}
