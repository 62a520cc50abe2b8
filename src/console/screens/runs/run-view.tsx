import { Alert, Button, Progress } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { newKey } from '../../api/key.ts'
import { useFormat } from '../../format/format.ts'
import { useConfirm } from '../../patterns/confirm.tsx'
import { Facts } from '../../patterns/facts.tsx'
import { Icon } from '../../patterns/icon.tsx'
import { useGo } from '../../patterns/late.ts'
import { linkOf } from '../../patterns/list/address.ts'
import { usePages } from '../../patterns/list/pages.ts'
import { Panel } from '../../patterns/panel.tsx'
import { Pill } from '../../patterns/pill.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTold } from '../../patterns/use-told.ts'
import { More } from '../../patterns/more.tsx'
import { useLanguage } from '../../texts/language.tsx'
import { useTexts } from '../../texts/texts.ts'
import { importTexts } from '../import/texts.ts'
import { faultWords } from './fault-words.ts'
import styles from './runs.module.css'
import { runTexts } from './texts.ts'
import { importRun, type Run } from './use-run.ts'

const tones = { running: 'info', done: 'good', failed: 'bad', cut_off: 'warning' } as const

/** What a run is called, by what was asked. */
export function useRunTitle(): (run: Run) => string {
  const t = useTexts(runTexts)
  const format = useFormat()
  return ({ kind, asked: { apply, on, tarif, from } }) => {
    if (kind === 'import') return apply ? t.import : t.check
    if (kind === 'promises') return t.promises
    if (kind === 'blocks') return on === false ? t.open : t.block
    return from ? t.tariffFrom(tarif?.name ?? '', format.plainDay(from)) : t.tariffNow(tarif?.name ?? '')
  }
}

/** How far a run is, and then what it came to. */
export function RunView({ run }: { readonly run: Run }) {
  const t = useTexts(runTexts)
  const { language } = useLanguage()
  const { state, result } = run
  return (
    <>
      <Panel title={t.progressTitle} actions={<Pill tone={tones[state]}>{t[state]}</Pill>}>
        <div role="status">{state === 'running' && <Bar run={run} />}</div>
        {(state === 'cut_off' || (state === 'failed' && Boolean(run.rest))) && <CutOff run={run} />}
        {result?.error !== undefined && <Alert color="red">{faultWords(result.error, language)}</Alert>}
        <SinceConfirmed run={run} />
        <RunFacts run={run} />
      </Panel>
      {result && <Lines result={result} areThere={run.asked.apply === true} />}
      {state !== 'running' && <Faults run={run} />}
    </>
  )
}

/** What a run that was cut off has left, and what does it. */
function CutOff({ run }: { readonly run: Run }) {
  const t = useTexts(runTexts)
  const format = useFormat()
  const left = run.rest ?? 0
  const isImport = run.kind === 'import'
  const says = left > 0 ? (isImport ? t.linesLeft : t.restSays)(format.number(left)) : isImport ? t.cutSays : t.noRest
  return (
    <Alert color="yellow">
      {says} {left > 0 && <DoRest run={run} left={left} />}
      {left === 0 && isImport && <Link to="/subscribers/import/">{t.sendAgain}</Link>}
    </Alert>
  )
}

function DoRest({ run: { id, kind }, left }: { readonly run: Run; readonly left: number }) {
  const t = useTexts(runTexts)
  const format = useFormat()
  const confirm = useConfirm()
  const navigate = useGo()
  const many = useTold('POST /admin/runs/{id}/rest/', ['GET /admin/runs/{id}/'])
  const lines = useTold('POST /admin/imports/{id}/rest/', ['GET /admin/runs/{id}/'])
  const isImport = kind === 'import'
  const order = () => ({ path: { id }, key: newKey() })
  const run = async () => {
    const says = isImport ? t.linesWarn : t.restWarns
    if (!(await confirm({ title: t.restAsks(format.number(left)), says, action: t.doRest }))) return
    if (isImport) lines.run(order(), ({ import: next }) => void navigate({ to: importRun(next.id) as never }))
    else many.run(order(), ({ run: next }) => void navigate({ to: `/subscribers/runs/${next.id}/` }))
  }
  return (
    <Button size="compact-sm" variant="default" loading={many.isPending || lines.isPending} onClick={() => void run()}>
      {t.doRest}
    </Button>
  )
}

function Bar({ run: { done, total } }: { readonly run: Run }) {
  const t = useTexts(runTexts)
  const format = useFormat()
  const share = total === null || total === 0 ? null : Math.min(100, (done / total) * 100)
  return (
    <div className={styles.progress}>
      <Progress value={share ?? 100} animated={share === null} aria-label={t.running} />
      <p>
        {share === null ? t.reading : t.progress(format.number(done), format.number(total))}. {t.staysSays}
      </p>
    </div>
  )
}

/** Whom the filter found when the run began and not in the preview that was confirmed, and the other way round. */
function SinceConfirmed({ run: { asked, total } }: { readonly run: Run }) {
  const t = useTexts(runTexts)
  const format = useFormat()
  const { confirmed, came = [], gone = 0 } = asked
  if (confirmed === undefined || total === null) return null
  if (confirmed === total && came.length === 0 && gone === 0) return null
  const more = total - confirmed + gone - came.length
  return (
    <Alert color="yellow" mb="sm">
      {t.differs(format.number(confirmed), format.number(total))}
      {came.length > 0 && ` ${t.came} `}
      {came.map(({ id, name }, at) => (
        <Fragment key={id}>
          {at > 0 && ', '}
          <Link to={`/subscribers/${id}/` as never}>{name}</Link>
        </Fragment>
      ))}
      {came.length > 0 && (more > 0 ? ` ${t.andMore(format.number(more))}` : '.')}
      {gone > 0 && ` ${t.gone(format.number(gone))}`}
    </Alert>
  )
}

function RunFacts({ run }: { readonly run: Run }) {
  const t = useTexts(runTexts)
  const format = useFormat()
  const { result, asked, state, done, total } = run
  const isBroken = state === 'cut_off' || state === 'failed'
  const count = (value: number | undefined) => (value === undefined ? null : format.number(value))
  return (
    <Facts
      facts={[
        [t.file, asked.file],
        [t.reached, isBroken && total !== null ? t.progress(format.number(done), format.number(total)) : null],
        [t.confirmed, count(asked.confirmed)],
        [t.found, asked.confirmed === undefined || total === null ? null : format.number(total)],
        [t.lines, count(result?.lines)],
        [t.fresh, count(result?.fresh)],
        [t.known, count(result?.known)],
        [t.differing, count(result?.differing || undefined)],
        [t.bad, count(result?.bad)],
        [t.changed, count(result?.changed)],
        [t.same, count(result?.same)],
        [t.refused, count(result?.refused)],
        [t.who, run.user],
        [t.started, format.moment(run.started_at)],
        [t.ended, run.ended_at && format.moment(run.ended_at)],
      ]}
    />
  )
}

type LinesProps = {
  readonly result: NonNullable<Run['result']>
  /** They have been imported, not only looked at. */
  readonly areThere: boolean
}

function Lines({ result, areThere }: LinesProps) {
  const t = useTexts(runTexts)
  const titles = useTexts(importTexts)
  const format = useFormat()
  const titleOf = (column: string) => titles[column as 'name'] ?? column
  const { sample = [], differences = [] } = result
  return (
    <>
      {sample.length > 0 && (
        <Panel title={t.sample}>
          <PlainTable
            label={t.sample}
            rows={sample}
            rowKey={({ line }) => line}
            none={t.none}
            columns={[
              { title: t.line, cell: ({ line }) => line },
              { title: t.contract, cell: (row) => row.contract_number },
              {
                title: t.name,
                cell: ({ name, contract_number: q }) =>
                  areThere ? <Link {...linkOf(`/subscribers/?${new URLSearchParams({ q })}`)}>{name}</Link> : name,
              },
              { title: t.login, cell: ({ login }) => login },
              { title: t.tariff, cell: ({ tarif }) => tarif },
              { title: t.balance, align: 'right', cell: ({ balance }) => format.money(balance) },
            ]}
          />
        </Panel>
      )}
      {differences.length > 0 && (
        <Panel title={t.differences}>
          <PlainTable
            label={t.differences}
            rows={differences}
            rowKey={({ line }) => line}
            none={t.none}
            columns={[
              { title: t.line, cell: ({ line }) => line },
              { title: t.contract, cell: (row) => row.contract_number },
              { title: t.differ, cell: ({ columns }) => columns.split(', ').map(titleOf).join(', ') },
            ]}
          />
        </Panel>
      )}
    </>
  )
}

function Faults({ run }: { readonly run: Run }) {
  const t = useTexts(runTexts)
  const { language } = useLanguage()
  const { query, rows } = usePages('GET /admin/runs/{id}/faults/', { path: { id: run.id }, query: {} })
  const isImport = run.kind === 'import'
  if (rows.length === 0) return null
  const download = (
    <Button
      component="a"
      href={`/admin/runs/${run.id}/faults_csv/`}
      download
      variant="default"
      leftSection={<Icon name="download" size={16} />}
    >
      {t.faultsCsv}
    </Button>
  )
  return (
    <Panel title={t.faults} actions={download}>
      <PlainTable
        label={t.faults}
        rows={rows}
        rowKey={({ record }) => record}
        none={t.none}
        columns={[
          ...(isImport ? [{ title: t.line, cell: ({ record }: { record: number }) => record }] : []),
          {
            title: isImport ? t.contract : t.subscriber,
            cell: ({ record, name }) =>
              isImport ? name : <Link to={`/subscribers/${record}/` as never}>{name ?? record}</Link>,
          },
          { title: t.reason, cell: ({ reason }) => faultWords(reason, language) },
        ]}
      />
      <More of={query} />
    </Panel>
  )
}
