import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Right } from '../../../domain/staff-user.ts'
import { useMay } from '../../api/me.tsx'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { sumOf } from '../../format/money.ts'
import { useBlockCounts, useTicketCounts } from '../../live/use-counts.ts'
import { useFollowing } from '../../live/use-following.ts'
import { useOnlineCount, useRates } from '../../live/use-gauges.ts'
import { linkOf } from '../../patterns/list/address.ts'
import { PageHead } from '../../patterns/page-head.tsx'
import { sourceTexts } from '../../texts/sources.ts'
import { useTexts } from '../../texts/texts.ts'
import { jobsEndpoint } from '../jobs/endpoints.ts'
import { useJobWords } from '../jobs/words.ts'
import styles from './summary.module.css'
import { summaryTexts } from './texts.ts'

const dayEndpoint = 'GET /admin/summary/'
const debtorsEndpoint = 'GET /admin/Abonents/accounts_json/'
const followMs = 5_000
const channelsShown = 2

/** How the day goes; every tile that asks shares one answer. */
const useDaySummary = () => useEndpoint(dayEndpoint, {})

/** How things stand now. Each tile leads to its list, where there is one. */
export default function Summary() {
  const t = useTexts(summaryTexts)
  useFollowing(['finance', 'blocks'], [dayEndpoint, debtorsEndpoint], followMs)
  const may = useMay()
  const allowed = (right: Right, tile: ReactNode) => (may(right) ? tile : null)
  return (
    <>
      <PageHead title={t.title} />
      <div className={styles.tiles}>
        <OnlineTile />
        <DebtorsTile />
        <BlockedTile />
        <ReceiptsTile />
        <RadiusTiles />
        <NasTile />
        <TicketsTile />
        {allowed('money', <ProblemsTile />)}
        <FailedMessagesTile />
        <JobsTile />
      </div>
    </>
  )
}

type TileProps = {
  readonly title: string
  readonly value: ReactNode
  readonly says?: ReactNode
  readonly to?: string
  readonly href?: string
  readonly isBad?: boolean
  /** The value is said in words. */
  readonly isWords?: boolean
}

function Tile({ title, value, says, to, href, isBad = false, isWords = false }: TileProps) {
  const content = (
    <>
      <span className={styles.name}>{title}</span>
      <strong className={styles.value} data-bad={isBad ? '' : undefined} data-words={isWords ? '' : undefined}>
        {value ?? '–'}
      </strong>
      <span className={styles.says}>{says}</span>
    </>
  )
  if (href)
    return (
      <a className={styles.tile} href={href}>
        {content}
      </a>
    )
  if (!to) return <div className={styles.tile}>{content}</div>
  return (
    <Link className={styles.tile ?? ''} {...linkOf(to)}>
      {content}
    </Link>
  )
}

function OnlineTile() {
  const t = useTexts(summaryTexts)
  const format = useFormat()
  const online = useOnlineCount()
  const { data: day } = useDaySummary()
  return (
    <Tile
      title={t.online}
      value={format.number(online)}
      says={day && t.dayBefore(format.number(day.online_a_day_ago))}
      to="/subscribers/?show=online"
    />
  )
}

function BlockedTile() {
  const t = useTexts(summaryTexts)
  const format = useFormat()
  const counts = useBlockCounts()
  return (
    <Tile
      title={t.blocked}
      value={format.number(counts?.blocked)}
      says={counts && t.forDebt(format.number(counts.b_negbal))}
      to="/subscribers/?show=blocked"
    />
  )
}

function RadiusTiles() {
  const t = useTexts(summaryTexts)
  const format = useFormat()
  const rates = useRates()
  return (
    <>
      <Tile title={t.accepts} value={format.number(rates?.accept)} says={t.aSecond} to="/network/now/" />
      <Tile title={t.rejects} value={format.number(rates?.reject)} says={t.aSecond} to="/network/now/" />
    </>
  )
}

function DebtorsTile() {
  const t = useTexts(summaryTexts)
  const format = useFormat()
  const { data } = useEndpoint(debtorsEndpoint, { query: { per_page: 1 } })
  const { data: day } = useDaySummary()
  const kpi = data?.kpi
  return (
    <Tile
      title={t.debtors}
      value={format.number(kpi?.debtors)}
      says={kpi && day && t.newDebtors(format.money(kpi.debt_sum), format.number(day.debtors_new))}
      to="/subscribers/?show=debtors"
    />
  )
}

/** Of today, with the channels that brought most, and all others together. */
function ReceiptsTile() {
  const t = useTexts(summaryTexts)
  const sources = useTexts(sourceTexts)
  const format = useFormat()
  const { data: day } = useDaySummary()
  const today = format.isoDay(new Date().toISOString())
  const total = day?.receipts.reduce((sum, one) => sumOf(sum, one.sum), '0.00')
  const others = day?.receipts.slice(channelsShown).reduce((sum, one) => sumOf(sum, one.sum), '0.00')
  const channels = day?.receipts
    .slice(0, channelsShown)
    .map((one) => `${sources[one.channel]} ${format.money(one.sum)}`)
    .concat(others === undefined || Number(others) === 0 ? [] : t.others(format.money(others)))
  return (
    <Tile
      title={t.receipts}
      value={total && format.money(total)}
      says={channels?.join(' · ')}
      to={`/money/payments/?date_from=${today}&date_to=${today}`}
    />
  )
}

/** Who needs somebody: the silent ones, and those with another secret. */
function NasTile() {
  const t = useTexts(summaryTexts)
  const format = useFormat()
  const { data } = useEndpoint('GET /admin/radius/nas/', {})
  const enabled = data?.items.filter((one) => one.enabled) ?? []
  const silent = enabled.filter(({ state }) => state === 'silent')
  const wrong = enabled.filter(({ state }) => state === 'wrong_secret')
  return (
    <Tile
      title={t.silentNas}
      value={data && format.number(silent.length)}
      isBad={silent.length + wrong.length > 0}
      says={wrong.length > 0 ? t.wrongSecret(format.number(wrong.length)) : silent.map(({ name }) => name).join(', ')}
      to="/network/nas/"
    />
  )
}

function TicketsTile() {
  const t = useTexts(summaryTexts)
  const format = useFormat()
  const counts = useTicketCounts()
  const { data: day } = useDaySummary()
  return (
    <Tile
      title={t.tickets}
      value={format.number(counts?.open ?? day?.tickets_open)}
      says={counts === null ? t.notClosed : t.unread(format.number(counts.unread))}
      to="/tickets/?show=open"
    />
  )
}

function ProblemsTile() {
  const t = useTexts(summaryTexts)
  const format = useFormat()
  const { data } = useEndpoint('GET /admin/payments/problems/', { query: { resolved: '0', per_page: 1 } })
  return (
    <Tile
      title={t.notCredited}
      value={format.number(data?.total)}
      isBad={(data?.total ?? 0) > 0}
      to="/money/not-credited/?resolved=0"
    />
  )
}

function FailedMessagesTile() {
  const t = useTexts(summaryTexts)
  const format = useFormat()
  const { data } = useEndpoint('GET /admin/messages/', { query: { state: 'failed', per_page: 1 } })
  return (
    <Tile
      title={t.messages}
      value={`${format.number(data?.total)}${data?.has_more_than_total ? '+' : ''}`}
      isBad={(data?.total ?? 0) > 0}
      to="/messages/sent/?state=failed"
    />
  )
}

/** The proof of the ledger is a job as well. */
function JobsTile() {
  const t = useTexts(summaryTexts)
  const format = useFormat()
  const words = useJobWords()
  const { data } = useEndpoint(jobsEndpoint, {})
  const failed = data?.jobs.filter(({ last }) => last?.ok === false) ?? []
  const proof = data?.jobs.find(({ name }) => name === 'verify_ledger')?.last
  return (
    <>
      <Tile
        title={t.jobs}
        value={data && format.number(failed.length)}
        isBad={failed.length > 0}
        says={failed.map(({ name }) => words.name(name)).join(', ')}
        to="/system/jobs/"
      />
      <Tile
        title={t.proof}
        isWords
        value={data && (proof ? (proof.ok === null ? t.running : proof.ok ? t.whole : t.broken) : t.notYet)}
        isBad={proof?.ok === false}
        says={proof && format.moment(proof.started_at)}
        to="/money/ledger/"
      />
    </>
  )
}
