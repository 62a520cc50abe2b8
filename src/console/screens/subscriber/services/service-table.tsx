import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { Answer } from '../../../api/client.ts'
import { useFormat } from '../../../format/format.ts'
import { PlainTable } from '../../../patterns/plain-table.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { useProgramWords } from '../../../texts/use-program-words.ts'
import type { Charge } from './charge-key.ts'
import { ChargeState, dueDay } from './state.tsx'
import { servicesTexts } from './texts.ts'

type Service = Answer<'GET /admin/Abonents/services/{id}/'>['services'][number]
type Props = {
  readonly services: readonly Service[]
  readonly charges: readonly Charge[]
  readonly mayChange: boolean
}

/** What a promise payment lends is no price of a month, and it ends at a time of day. */
export function ServiceTable({ services, charges, mayChange }: Props) {
  const t = useTexts(servicesTexts)
  const words = useProgramWords()
  const format = useFormat()
  const navigate = useNavigate()
  const nameOf = ({ name, countt, limit, is_promise }: Service) => {
    if (is_promise && limit !== null) return t.lends(words(name), format.money(limit))
    return countt > 1 ? `${words(name)} × ${countt}` : words(name)
  }
  return (
    <PlainTable
      label={t.services}
      rows={services}
      rowKey={({ id }) => id}
      none={t.noServices}
      columns={[
        { title: t.service, cell: nameOf },
        {
          title: t.month,
          align: 'right',
          cell: ({ amount, is_promise }) => format.money(is_promise ? null : amount),
        },
        { title: t.since, cell: ({ create_date }) => format.day(create_date) },
        { title: t.until, cell: ({ end_time, is_promise }) => (is_promise ? format.moment : format.day)(end_time) },
        {
          title: t.state,
          cell: ({ id, not_charged, charged_through }) => (
            <ChargeState reason={not_charged} through={charged_through} due={dueDay(charges, id)} />
          ),
        },
        ...(mayChange
          ? [
              {
                title: t.take,
                isAction: true,
                align: 'right' as const,
                cell: (service: Service) => (
                  <Button
                    variant="subtle"
                    size="compact-sm"
                    aria-label={`${t.take}: ${words(service.name)}`}
                    onClick={() =>
                      void navigate({ to: `/subscribers/${service.abonent_id}/services/take/${service.id}/` })
                    }
                  >
                    {t.take}
                  </Button>
                ),
              },
            ]
          : []),
      ]}
    />
  )
}
