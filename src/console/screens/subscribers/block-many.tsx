import { Alert, Button, Group, Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { type Answer, ask, type Sent } from '../../api/client.ts'
import { newKey } from '../../api/key.ts'
import type { QueryOf } from '../../patterns/list/pages.ts'
import { commonTexts } from '../../frame/texts.ts'
import { useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import { blockTexts } from './block-texts.ts'

const door = 'POST /admin/Abonents/block_many/'
const previewDoor = 'POST /admin/Abonents/block_many/preview/'

type Order = NonNullable<Sent<typeof door>['body']>
/** Marked ones, or everybody whom the list finds; a filter that is not set is not sent. */
type Meant = Pick<Order, 'ids'> | { readonly filter: QueryOf<'GET /admin/Abonents/subscribers/'> }

/** Blocks or opens many: first it is told how many and whom, and only then begun. */
export function BlockDeeds({ meant, onDone }: { readonly meant: Meant; readonly onDone: () => void }) {
  const t = useTexts(blockTexts)
  const [on, setOn] = useState<boolean | null>(null)
  return (
    <>
      <Button color="red" onClick={() => setOn(true)}>
        {t.block}
      </Button>
      <Button variant="default" onClick={() => setOn(false)}>
        {t.open}
      </Button>
      {on !== null && <Preview order={{ on, ...meant } as Order} onClose={() => setOn(null)} onDone={onDone} />}
    </>
  )
}

type PreviewProps = { readonly order: Order; readonly onClose: () => void; readonly onDone: () => void }

function Preview({ order, onClose, onDone }: PreviewProps) {
  const t = useTexts(blockTexts)
  const common = useTexts(commonTexts)
  const say = useSayRefusal()
  const navigate = useNavigate()
  // Who presses twice has begun once.
  const key = useRef(newKey())
  const [isBusy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<string | null>(null)
  const { data, error } = useQuery({
    queryKey: [previewDoor, order],
    queryFn: ({ signal }) => ask(previewDoor, { body: order, signal }),
    gcTime: 0,
  })
  const begin = async () => {
    setBusy(true)
    try {
      const { run } = await ask(door, { body: order, key: key.current })
      onDone()
      await navigate({ to: `/subscribers/runs/${run.id}/` as never })
    } catch (refused) {
      setRefusal(say(refused))
      setBusy(false)
    }
  }
  const wrong = refusal ?? (error ? say(error) : null)
  return (
    <Modal
      opened
      onClose={onClose}
      title={order.on ? t.blockTitle : t.openTitle}
      closeButtonProps={{ 'aria-label': common.close }}
    >
      {wrong !== null && (
        <Alert color="red" role="alert">
          {wrong}
        </Alert>
      )}
      <div role="status">{data ? <Numbers preview={data} on={order.on} /> : <p>{t.counting}</p>}</div>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button
          color={order.on ? 'red' : 'brand'}
          loading={isBusy}
          disabled={!data || data.changing === 0}
          onClick={() => void begin()}
        >
          {order.on ? t.block : t.open}
        </Button>
      </Group>
    </Modal>
  )
}

function Numbers({ preview, on }: { readonly preview: Answer<typeof previewDoor>; readonly on: boolean }) {
  const t = useTexts(blockTexts)
  const { total, changing, same, online, still_closed, sample } = preview
  return (
    <>
      <p>
        <strong>{changing === 0 ? t.nobody : on ? t.willBlock(changing) : t.willOpen(changing)}</strong>
      </p>
      <ul>
        <li>{t.of(total)}</li>
        {same > 0 && <li>{t.same(same)}</li>}
        {on && online > 0 && <li>{t.online(online)}</li>}
        {still_closed > 0 && <li>{t.stillClosed(still_closed)}</li>}
        {sample.length > 0 && <li>{t.among(sample.map(({ name }) => name).join(', '))}</li>}
      </ul>
    </>
  )
}
