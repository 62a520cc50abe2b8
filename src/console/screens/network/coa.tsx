import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import { useFormat } from '../../format/format.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTexts } from '../../texts/texts.ts'
import { CoaAnswer, useAnswerWords } from './coa-answer.tsx'
import { NasChoice } from './nas-choice.tsx'
import { coaTexts, healthTexts, networkTexts } from './texts.ts'

const endpoint = 'GET /admin/radius/coa/'
type Asked = Item<typeof endpoint>

/** What NAS were asked by Disconnect and CoA, and what they answered. */
export default function CoaHistory() {
  const t = useTexts(coaTexts)
  const columns = useColumns()
  const chips = (['', 'ack', 'nak', 'no_answer'] as const).map((value) => ({
    value,
    label: t[value === '' ? 'all' : value],
  }))
  return (
    <>
      <PageHead title={t.title} />
      <DataList
        name="coa"
        endpoint={endpoint}
        filters={['result', 'nas', 'abonent', 'from', 'to']}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ login }) => login}
        rowTo={(row) => (row.abonent_id === null ? null : `/subscribers/${row.abonent_id}/`)}
        chips={{ parameter: 'result', list: chips }}
        more={<NasChoice />}
        empty={{ title: t.none, says: t.noneSays }}
      />
    </>
  )
}

function useColumns(): readonly Column<Asked>[] {
  const t = useTexts(coaTexts)
  const network = useTexts(networkTexts)
  const health = useTexts(healthTexts)
  const format = useFormat()
  const words = useAnswerWords()
  return useMemo(() => {
    const nasOf = ({ nas_id, nas_name }: Asked) => nas_name ?? network.deletedNas(nas_id)
    const requestOf = ({ request }: Asked) => (request === 'coa' ? 'CoA' : 'Disconnect')
    return [
      { id: 'login', title: network.login, width: '16%', cell: ({ login }) => login, text: ({ login }) => login },
      { id: 'at', title: t.at, isOnCard: true, cell: ({ at }) => format.moment(at), text: ({ at }) => at },
      {
        id: 'subscriber',
        title: network.subscriber,
        isOnCard: true,
        cell: ({ abonent_id, abonent_name }) =>
          abonent_id !== null && <Link to={`/subscribers/${abonent_id}/`}>{abonent_name}</Link>,
        text: (row) => row.abonent_name,
      },
      { id: 'nas', title: network.nas, isOnCard: true, cell: nasOf, text: nasOf },
      { id: 'request', title: t.request, isOnCard: true, cell: requestOf, text: requestOf },
      {
        id: 'result',
        title: t.result,
        width: '29%',
        isOnCard: true,
        cell: (row) => <CoaAnswer asked={row} />,
        text: words,
      },
      {
        id: 'took',
        title: t.took,
        align: 'right',
        cell: ({ ms }) => ms !== null && health.ms(format.number(ms)),
        text: ({ ms }) => ms,
      },
      {
        id: 'attempts',
        title: t.attempts,
        align: 'right',
        isExtra: true,
        cell: (row) => row.attempts,
        text: (row) => row.attempts,
      },
    ]
  }, [t, network, health, format, words])
}
