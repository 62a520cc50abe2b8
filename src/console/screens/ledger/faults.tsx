import { Link } from '@tanstack/react-router'
import { useFormat } from '../../format/format.ts'
import { Panel } from '../../patterns/panel.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { Proof } from './proof.ts'
import { faultTexts, ledgerTexts } from './texts.ts'

/** What is broken: in each account the first record, as it is stored and as it should be. */
export function Faults({ proof: { faults, broken } }: { readonly proof: Proof }) {
  const t = useTexts(ledgerTexts)
  const kinds = useTexts(faultTexts) as Readonly<Record<string, string>>
  const format = useFormat()
  return (
    <Panel title={t.faults}>
      <p>{t.faultsSays}</p>
      <PlainTable
        label={t.faults}
        rows={faults}
        rowKey={({ account_id }) => account_id}
        none={t.none}
        columns={[
          {
            title: t.account,
            cell: ({ account_id }) => <Link to={`/money/accounts/${account_id}/` as never}>{account_id}</Link>,
          },
          { title: t.record, cell: ({ op_id }) => (op_id === null ? t.itself : t.operation(op_id)) },
          { title: t.what, cell: ({ kind, sentence }) => <span title={sentence}>{kinds[kind] ?? sentence}</span> },
          { title: t.stored, align: 'right', cell: ({ stored }) => stored ?? '–' },
          { title: t.due, align: 'right', cell: ({ due }) => due ?? '–' },
        ]}
      />
      {broken > faults.length && <p>{t.more(format.number(faults.length), format.number(broken))}</p>}
    </Panel>
  )
}
