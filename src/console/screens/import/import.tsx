import { Alert, Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { ask } from '../../api/client.ts'
import { newKey } from '../../api/key.ts'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { Icon } from '../../patterns/icon.tsx'
import { useGo } from '../../patterns/late.ts'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import { RunView, useRunTitle } from '../runs/run-view.tsx'
import { importRun, useRun } from '../runs/use-run.ts'
import { FileChoice } from './file-choice.tsx'
import styles from './import.module.css'
import { Mapping } from './mapping.tsx'
import { importTexts } from './texts.ts'
import type { Top } from './top.ts'

const topBytes = 64 * 1024

/** A file of subscribers: chosen, its columns named, checked as a whole, and then imported. */
export default function Import() {
  const t = useTexts(importTexts)
  const { file, top, checked, refusal, isBusy, choose, change, check, apply } = useImport()
  const template = (
    <Button
      component="a"
      href="/admin/imports/template/"
      download
      variant="default"
      leftSection={<Icon name="download" size={16} />}
    >
      {t.template}
    </Button>
  )
  return (
    <>
      <PageHead title={t.title} actions={template} />
      <FileChoice file={file} onFile={choose} />
      {refusal !== null && (
        <Alert color="red" role="alert" my="md">
          {refusal}
        </Alert>
      )}
      {file && top && (
        <Mapping
          top={top}
          onTop={change}
          onEncoding={(encoding) => choose(file, encoding)}
          onCheck={check}
          isBusy={isBusy}
        />
      )}
      {checked !== null && <Checked id={checked} isBusy={isBusy} onApply={apply} />}
      <Earlier />
    </>
  )
}

/** One thing at a time: what comes of it counts only while nothing else has been chosen since. */
function useAttempt() {
  const say = useSayRefusal()
  const [refusal, setRefusal] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const turns = useRef(0)
  const attempt = async <A,>(work: () => Promise<A>, take: (answer: A) => void) => {
    const turn = ++turns.current
    setBusy(true)
    setRefusal(null)
    try {
      const answer = await work()
      if (turn === turns.current) take(answer)
    } catch (error) {
      if (turn === turns.current) setRefusal(say(error))
    }
    if (turn === turns.current) setBusy(false)
  }
  const giveUp = () => {
    turns.current++
    setBusy(false)
  }
  return { refusal, isBusy, attempt, giveUp, setRefusal }
}

function useImport() {
  const t = useTexts(importTexts)
  const navigate = useGo()
  const [file, setFile] = useState<File | null>(null)
  const [top, setTop] = useState<Top | null>(null)
  const [checked, setChecked] = useState<number | null>(null)
  const { refusal, isBusy, attempt, giveUp, setRefusal } = useAttempt()
  const send = async (apply: boolean) => {
    const { encoding, columns } = top!
    const query = {
      columns: columns.join(','),
      encoding,
      name: file!.name.slice(0, 200),
      ...(apply && { apply: true }),
    }
    return (await ask('POST /admin/imports/', { query, file: file!, key: newKey() })).import.id
  }
  return {
    file,
    top,
    checked,
    refusal,
    isBusy,
    choose: (chosen: File, encoding?: Top['encoding']) => {
      setFile(chosen)
      setTop(null)
      setChecked(null)
      const query = encoding ? { encoding } : {}
      return attempt(() => ask('POST /admin/imports/top/', { query, file: chosen.slice(0, topBytes) }), setTop)
    },
    change: (next: Top) => {
      giveUp()
      setTop(next)
      setChecked(null)
    },
    check: () => {
      const fault = faultOf(top!.columns)
      if (fault === null) void attempt(() => send(false), setChecked)
      else setRefusal(t[fault])
    },
    // What has begun is shown, whatever was chosen since.
    apply: () =>
      attempt(
        async () => void navigate({ to: importRun(await send(true)) as never }),
        () => {},
      ),
  }
}

function faultOf(columns: Top['columns']): 'needed' | 'twice' | null {
  const used = columns.filter((name) => name !== '')
  if (!used.includes('contract_number') || !used.includes('name')) return 'needed'
  return new Set(used).size < used.length ? 'twice' : null
}

type CheckedProps = { readonly id: number; readonly isBusy: boolean; readonly onApply: () => void }

function Checked({ id, isBusy, onApply }: CheckedProps) {
  const t = useTexts(importTexts)
  const format = useFormat()
  const { data: run, error } = useRun(id)
  if (error && !run) throw error
  const fresh = run?.result?.fresh ?? 0
  const further = useRef<HTMLButtonElement>(null)
  const isDone = run?.state === 'done'
  // A file of many columns has it below the window.
  useEffect(() => {
    if (isDone) further.current?.scrollIntoView({ block: 'nearest' })
  }, [isDone])
  return (
    <>
      {isDone && (
        <Panel title={t.checked}>
          <Button ref={further} loading={isBusy} disabled={fresh === 0} onClick={onApply}>
            {fresh > 0 ? t.apply(format.number(fresh)) : t.nothing}
          </Button>
          <p className={styles.quiet}>{t.applySays}</p>
        </Panel>
      )}
      {run && <RunView run={run} />}
    </>
  )
}

function Earlier() {
  const t = useTexts(importTexts)
  const format = useFormat()
  const titleOf = useRunTitle()
  const { data } = useEndpoint('GET /admin/runs/', { query: { kind: 'import', limit: 10 } })
  if (!data) return null
  return (
    <Panel title={t.earlier}>
      <PlainTable
        label={t.earlier}
        rows={data.items}
        rowKey={({ id }) => id}
        none={t.none}
        columns={[
          {
            title: t.when,
            cell: ({ id, started_at }) => <Link to={importRun(id) as never}>{format.moment(started_at)}</Link>,
          },
          { title: t.what, cell: titleOf },
          { title: t.inFile, cell: ({ asked }) => asked.file },
        ]}
      />
    </Panel>
  )
}
