import { Alert, Button, Group } from '@mantine/core'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { type Answer, type Counting, Refused } from '../../../api/client.ts'
import { newKey } from '../../../api/key.ts'
import { useCounted } from '../../../api/use-endpoint.ts'
import { useFormat } from '../../../format/format.ts'
import { commonTexts } from '../../../frame/texts.ts'
import { Dialog } from '../../../patterns/dialog.tsx'
import { useGo, useIsThere } from '../../../patterns/late.ts'
import type { QueryOf } from '../../../patterns/list/pages.ts'
import { told } from '../../../patterns/told.ts'
import { useSayRefusal } from '../../../texts/refusals.ts'
import { useTexts } from '../../../texts/texts.ts'
import { manyTexts } from './texts.ts'
import { useFocusBack } from '../../../patterns/focus-back.ts'

/** Marked ones, or everybody whom the list finds; a filter that is not set is not sent. */
export type Meant =
  | { readonly ids: readonly number[] }
  | { readonly filter: QueryOf<'GET /admin/Abonents/subscribers/'> }

/** What the dialog of a bulk action is given. */
export type DialogProps = { readonly meant: Meant; readonly onClose: () => void; readonly onDone: () => void }

/** What the preview of every bulk action tells. */
type Preview = Pick<
  Answer<'POST /admin/Abonents/block_many/preview/'>,
  'total' | 'ids' | 'changing' | 'same' | 'sample'
> & {
  readonly refused?: readonly { readonly code: string; readonly error: string; readonly count: number }[]
}

type ManyDialogProps<O, P extends Preview> = Omit<DialogProps, 'meant'> & {
  readonly title: string
  /** What the button does, as a verb. */
  readonly action: string
  readonly isDangerous?: boolean
  /** What is asked for; null while it is not complete. */
  readonly order: O | null
  readonly preview: (order: O, counting: Counting) => Promise<P>
  readonly begin: (order: O, key: string) => Promise<{ readonly run: { readonly id: number } }>
  /** How many will be changed, as a sentence. */
  readonly willChange: (count: number) => string
  /** What is special about this action, each a line. */
  readonly facts: (preview: P) => readonly (string | false)[]
  /** The fields of the order. */
  readonly children?: ReactNode
}

/** A bulk action: first it is told how many subscribers it concerns and which, and only then begun, as a run. */
export function ManyDialog<O extends object, P extends Preview>(props: ManyDialogProps<O, P>) {
  const { title, action, isDangerous, order, onClose, children } = props
  const common = useTexts(commonTexts)
  const say = useSayRefusal()
  const { data, counted, error, isBusy, begin } = useMany(props)
  useFocusBack()
  return (
    <Dialog opened onClose={onClose} title={title}>
      {error !== null && (
        <Alert color="red" role="alert" mb="sm">
          {say(error)}
        </Alert>
      )}
      {children}
      <div role="status">
        {order !== null && error === null && <Numbers {...props} data={data} counted={counted} />}
      </div>
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button
          color={isDangerous ? 'red' : 'brand'}
          loading={isBusy}
          disabled={!data || data.changing === 0}
          onClick={() => void begin()}
        >
          {action}
        </Button>
      </Group>
    </Dialog>
  )
}

/** The preview of the order as it stands, and its beginning. */
function useMany<O extends object, P extends Preview>({ title, order, onDone, ...props }: ManyDialogProps<O, P>) {
  const navigate = useGo()
  const isThere = useIsThere()
  const say = useSayRefusal()
  const [isBusy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<{ readonly of: O | null; readonly error: unknown } | null>(null)
  const asked = JSON.stringify(order)
  // Who presses twice has begun once; another order is another request.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a key is of an order
  const key = useMemo(newKey, [asked])
  const sent = useRef<{ readonly key: string; readonly order: O } | null>(null)
  const counting = useCounted([title, asked], order && ((counting) => props.preview(order, counting)))
  const begin = async () => {
    setBusy(true)
    try {
      // A key is of one request, whatever the preview has told since the first press.
      if (sent.current?.key !== key) sent.current = { key, order: withConfirmed(order!, counting.data!) }
      const { run } = await props.begin(sent.current.order, key)
      onDone()
      await navigate({ to: `/subscribers/runs/${run.id}/` as never })
    } catch (error) {
      if (!isThere()) return told.failed(say(error))
      setRefusal({ of: order, error })
      setBusy(false)
    }
  }
  const refused = refusal !== null && JSON.stringify(refusal.of) === asked ? refusal.error : null
  const { data, counted, error } = counting
  return { data: order === null ? undefined : data, counted, error: refused ?? error, isBusy, begin }
}

/** A filter finds whom it finds when the run begins, and the run tells how they differ from those of the preview. */
const withConfirmed = <O extends object>(order: O, { total, ids }: Preview): O =>
  'filter' in order ? { ...order, confirmed: { total, ...(ids && { ids }) } } : order

type NumbersProps<P extends Preview> = Pick<ManyDialogProps<never, P>, 'willChange' | 'facts'> & {
  readonly data: P | undefined
  readonly counted: number
}

function Numbers<P extends Preview>({ data, counted, willChange, facts }: NumbersProps<P>) {
  const format = useFormat()
  const t = useTexts(manyTexts)
  const say = useSayRefusal()
  if (!data) return <p>{counted > 0 ? t.counted(format.number(counted)) : t.counting}</p>
  const { total, changing, same, refused = [], sample } = data
  const lines = facts(data).filter((line) => line !== false)
  return (
    <>
      <p>
        <strong>{changing === 0 ? t.nobody : willChange(changing)}</strong>
      </p>
      <ul>
        <li>{t.of(total)}</li>
        {same > 0 && <li>{t.same(same)}</li>}
        {refused.map(({ code, error, count }) => (
          <li key={code}>{t.refused(say(new Refused(400, { code, error }, null)), count)}</li>
        ))}
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
        {sample.length > 0 && <li>{t.among(sample.map(({ name }) => name).join(', '))}</li>}
      </ul>
    </>
  )
}
