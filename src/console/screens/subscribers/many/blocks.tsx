import { ask, askCounted, type Sent } from '../../../api/client.ts'
import { useTexts } from '../../../texts/texts.ts'
import { type DialogProps, ManyDialog } from './dialog.tsx'
import { manyTexts } from './texts.ts'

const endpoint = 'POST /admin/Abonents/block_many/'
type Order = NonNullable<Sent<typeof endpoint>['body']>

/** The operator's block of many, which cuts their sessions. */
export const BlockDialog = (props: DialogProps) => <Dialog {...props} on={true} />

/** Lifts the operator's block of many; who is closed for another reason stays so. */
export const OpenDialog = (props: DialogProps) => <Dialog {...props} on={false} />

function Dialog({ meant, on, ...props }: DialogProps & { readonly on: boolean }) {
  const t = useTexts(manyTexts)
  return (
    <ManyDialog
      {...props}
      title={on ? t.blockTitle : t.openTitle}
      action={on ? t.block : t.open}
      isDangerous={on}
      order={{ on, ...meant } as Order}
      preview={(body, counting) => askCounted('POST /admin/Abonents/block_many/preview/', body, counting)}
      begin={(body, key) => ask(endpoint, { body, key })}
      willChange={on ? t.willBlock : t.willOpen}
      facts={({ online, still_closed: closed }) => [
        on && online > 0 && t.online(online),
        closed > 0 && t.stillClosed(closed),
      ]}
    />
  )
}
