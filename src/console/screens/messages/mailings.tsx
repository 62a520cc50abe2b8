import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useMay } from '../../api/me.tsx'
import { useFormat } from '../../format/format.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTexts } from '../../texts/texts.ts'
import { type Mailing, MailingState, mailingsEndpoint, useMailingWords } from './mailing-state.tsx'
import { mailingTexts } from './texts.ts'

/** Messages to many subscribers, those under way and those of before. */
export default function Mailings() {
  const t = useTexts(mailingTexts)
  const may = useMay()
  const columns = useColumns()
  const add = may('change') && (
    <Button component={Link} to="/messages/mailings/new/">
      {t.new}
    </Button>
  )
  return (
    <>
      <PageHead title={t.title} actions={add} />
      <DataList
        name="mailings"
        endpoint={mailingsEndpoint}
        filters={[]}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ id }) => t.one(id)}
        rowTo={({ id }) => `/messages/mailings/${id}/`}
        follows={{
          topics: ['system'],
          concerns: (frame, rows) => frame.type === 'mailing.progress' && rows.some(({ id }) => id === frame.id),
        }}
        empty={{ title: t.none, says: t.noneSays, action: add }}
      />
    </>
  )
}

function useColumns(): readonly Column<Mailing>[] {
  const t = useTexts(mailingTexts)
  const format = useFormat()
  const wordsOf = useMailingWords()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the words are of the texts
  return useMemo(() => {
    const count = (
      id: string,
      title: string,
      of: (mailing: Mailing) => number | null,
      isOnCard: false | 'titled' = false,
    ): Column<Mailing> => ({
      ...{ id, title, align: 'right', text: of, isOnCard },
      cell: (row) => format.number(of(row)),
    })
    return [
      { id: 'text', title: t.text, width: '34%', cell: ({ text }) => text, text: ({ text }) => text },
      {
        id: 'at',
        title: t.at,
        isOnCard: true,
        cell: (row) => format.moment(row.starts_at),
        text: (row) => row.starts_at,
      },
      { id: 'state', title: t.state, isOnCard: true, cell: (row) => <MailingState mailing={row} />, text: wordsOf },
      count('total', t.total, ({ total }) => total, 'titled'),
      count('sent', t.sent, ({ sent }) => sent, 'titled'),
      count('failed', t.failed, ({ failed }) => failed),
      count('leftOut', t.leftOut, (row) => row.opted_out + row.no_address + row.no_provider + row.deleted),
      { id: 'user', title: t.user, cell: ({ user }) => user, text: ({ user }) => user },
    ]
  }, [t, format])
}
