import { Button } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Column } from '../../../patterns/list/columns.ts'
import { DataList } from '../../../patterns/list/data-list.tsx'
import { PageHead } from '../../../patterns/page-head.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { useProgramWords } from '../../../texts/use-program-words.ts'
import type { Plain, PlainRecord } from './description.ts'
import { plainPath } from './names.ts'
import { plainTexts } from './texts.ts'
import { useMayWrite, usePlain, useSayValue } from './use-plain.ts'

/** All of them answer alike; the list of one of them is the type of all. */
const endpointOf = ({ endpoint }: Plain) =>
  `GET /admin/dictionary/${endpoint}_crud/` as 'GET /admin/dictionary/video_objects_crud/'

/** The records of a dictionary that is nothing but its fields. */
export default function PlainList() {
  const t = useTexts(plainTexts)
  const { name, plain } = usePlain()
  const may = useMayWrite(plain)
  const columns = useColumns(plain)
  const [first] = plain.fields
  const path = plainPath(name)
  const add = may.add && (
    <Button component={Link} to={`${path}new/`}>
      {t[plain.add]}
    </Button>
  )
  return (
    <>
      <PageHead title={t[plain.title]} actions={add} />
      <DataList
        key={name}
        name={name}
        endpoint={endpointOf(plain)}
        filters={['q']}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={(row) => String((row as PlainRecord)[first!.name])}
        rowTo={({ id }) => (may.change ? `${path}${id}/` : null)}
        empty={{ title: t.none, says: t.noneSays, action: add }}
      />
      <Outlet />
    </>
  )
}

/** Of a number, or of yes and no, nobody knows by itself what it is of. */
const isTitled = (kind: Plain['fields'][number]['kind']): boolean => kind === 'flag' || kind === 'number'

function useColumns({ fields }: Plain): readonly Column<PlainRecord>[] {
  const t = useTexts(plainTexts)
  const say = useSayValue()
  const words = useProgramWords()
  return useMemo(
    () =>
      fields
        .filter(({ column }) => column !== undefined)
        .map((field): Column<PlainRecord> => {
          const said = (record: PlainRecord) => words(say(field, record))
          return {
            id: field.name,
            title: t[field.label],
            cell: said,
            text: (record) => (field.kind === 'money' ? String(record[field.name] ?? '') : said(record)),
            ...((field.kind === 'money' || field.kind === 'number') && { align: 'right' }),
            ...(field.column === 'first' && { width: '30%' }),
            ...(field.column === 'card' && { isOnCard: isTitled(field.kind) ? 'titled' : true }),
            ...(field.column === 'extra' && { isExtra: true }),
          }
        }),
    [fields, t, say, words],
  )
}
