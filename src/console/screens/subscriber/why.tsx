import { Skeleton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { linkOf } from '../../patterns/list/address.ts'
import { Panel } from '../../patterns/panel.tsx'
import { Dot, Pill, type Tone } from '../../patterns/pill.tsx'
import { useLanguage } from '../../texts/language.tsx'
import { chapter, useTexts } from '../../texts/texts.ts'
import styles from './why.module.css'

const whyTexts = chapter({
  title: ['Диагностика', 'Diagnostics'],
  well: ['в порядке', 'OK'],
  wrong: ['не в порядке', 'not OK'],
  unknown: ['неизвестно', 'unknown'],
  open: ['Подробнее', 'Details'],
})

/** One sentence why a client is online or not, and the chain that leads to it. */
export function Why({ id }: { readonly id: number }) {
  const t = useTexts(whyTexts)
  const { language } = useLanguage()
  const format = useFormat()
  const { data } = useEndpoint('GET /admin/Abonents/why/{id}/', { path: { id }, query: { language } })
  if (!data)
    return (
      <Panel title={t.title}>
        <div aria-busy="true">
          <Skeleton height={22} width="40%" mb="sm" />
          <Skeleton height={170} />
        </div>
      </Panel>
    )
  const { verdict, chain } = data
  const toneOf = (ok: boolean | null): Tone => (ok === null ? 'quiet' : ok ? 'good' : 'bad')
  const saysOf = (ok: boolean | null): string => (ok === null ? t.unknown : ok ? t.well : t.wrong)
  return (
    <Panel title={t.title}>
      <p className={styles.verdict}>
        <Pill tone={verdict.code === 'online' ? 'good' : verdict.code === 'offline_open' ? 'info' : 'bad'}>
          {verdict.text}
        </Pill>
      </p>
      <ol className={styles.chain}>
        {chain.map(({ code, ok, text, at, by, link }) => (
          <li key={code}>
            <Dot tone={toneOf(ok)} says={saysOf(ok)} />
            <div>
              <span>{text}</span>
              <span className={styles.when}>{[at && format.moment(at), by].filter(Boolean).join(' · ')}</span>
              {ok === false && link !== null && <Mend link={link} text={text} />}
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  )
}

/** Leads to where a link of the chain is mended. */
function Mend({ link, text }: { readonly link: string; readonly text: string }) {
  const t = useTexts(whyTexts)
  return (
    <Link {...linkOf(link.replace(/^\/admin/, ''))} aria-label={`${t.open}: ${text}`}>
      {t.open}
    </Link>
  )
}
