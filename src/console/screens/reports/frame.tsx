import { Button, SegmentedControl } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PageHead } from '../../patterns/page-head.tsx'
import { useLanguage } from '../../texts/language.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './reports.module.css'
import { reportTexts } from './texts.ts'

const reports = { money: '/money/reports/', debts: '/money/reports/debts/', subscribers: '/money/reports/subscribers/' }
type Report = keyof typeof reports

type FrameProps = {
  readonly report: Report
  readonly says: string
  /** What the endpoint is asked, for the files of the same. */
  readonly asked: Readonly<Record<string, string | undefined>>
  readonly children: ReactNode
}

const endpoints = { money: 'movements', debts: 'debts', subscribers: 'subscribers' } as const

/** The head of every report: which of them it is, and its files. */
export function ReportFrame({ report, says, asked, children }: FrameProps) {
  const t = useTexts(reportTexts)
  const { language } = useLanguage()
  const navigate = useNavigate()
  const fileOf = (format: string) => {
    const chosen = Object.entries({ ...asked, format, language }).filter((pair): pair is [string, string] =>
      Boolean(pair[1]),
    )
    return `/admin/reports/${endpoints[report]}/?${new URLSearchParams(chosen)}`
  }
  return (
    <>
      <PageHead
        title={t.title}
        says={says}
        actions={['xlsx', 'csv'].map((format) => (
          <Button
            key={format}
            component="a"
            variant="default"
            href={fileOf(format)}
            aria-label={t.file(format.toUpperCase())}
            download
          >
            {format.toUpperCase()}
          </Button>
        ))}
      />
      <SegmentedControl
        className={styles.which ?? ''}
        aria-label={t.which}
        value={report}
        onChange={(next) => void navigate({ to: reports[next as Report] as never, search: {} as never })}
        data={[
          { value: 'money', label: t.ofMoney },
          { value: 'debts', label: t.ofDebts },
          { value: 'subscribers', label: t.ofSubscribers },
        ]}
      />
      {children}
    </>
  )
}
