import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type Answer, ask } from '../../api/client.ts'
import { useFormat } from '../../format/format.ts'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { Pill } from '../../patterns/pill.tsx'
import { useLanguage } from '../../texts/language.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './health.module.css'
import { checkTexts, healthTexts } from './texts.ts'

const endpoint = 'GET /admin/doctor/'

type Check = Answer<typeof endpoint>['checks'][number]

const tones = { ok: 'good', warn: 'warning', fail: 'bad' } as const
const urgency = ['fail', 'warn', 'ok'] as const

/** What is set up wrongly, each with what to do about it, as the command `tollgate doctor` says it. */
export default function Health() {
  const t = useTexts(healthTexts)
  const format = useFormat()
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [endpoint, {}],
    queryFn: ({ signal }) => ask(endpoint, { signal }),
  })
  if (error && !data) throw error
  const found = (state: Check['state']) => data?.checks.filter((check) => check.state === state) ?? []
  return (
    <>
      <PageHead
        title={t.title}
        says={data ? t.lookedAt(format.moment(data.looked_at)) : t.looks}
        actions={
          <Button variant="default" disabled={isFetching} onClick={() => void refetch()}>
            {t.lookAgain}
          </Button>
        }
      />
      {urgency.map((state) => (
        <Checks key={state} state={state} checks={found(state)} />
      ))}
    </>
  )
}

function Checks({ state, checks }: { readonly state: Check['state']; readonly checks: readonly Check[] }) {
  const t = useTexts(healthTexts)
  const words = useTexts(checkTexts) as Readonly<Record<string, string>>
  const { language } = useLanguage()
  if (checks.length === 0) return null
  return (
    <Panel title={t.titles(state, checks.length)}>
      <dl className={styles.checks}>
        {checks.map(({ name, says }) => (
          <div key={name}>
            <dt>
              <Pill tone={tones[state]}>{words[name] ?? name}</Pill>
            </dt>
            <dd>{says[language]}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}
