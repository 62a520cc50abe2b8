import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { Suspense, useEffect, useRef } from 'react'
import { useFormat } from '../../format/format.ts'
import { everyPlace } from '../../frame/places.ts'
import { type Back, BackLink } from '../../patterns/back-link.tsx'
import { useOpenedFrom } from '../../patterns/way-back.ts'
import { Copy } from '../../patterns/copy.tsx'
import { useTitle } from '../../patterns/title.ts'
import { WhoseProvider } from '../../patterns/whose.ts'
import { useTexts } from '../../texts/texts.ts'
import { Balance } from '../subscribers/balance.tsx'
import { AccessSentence } from './access-sentence.tsx'
import styles from './card.module.css'
import { Actions } from './actions.tsx'
import { tabs } from './tabs.ts'
import { cardTexts } from './texts.ts'
import { DropPlan } from './services/drop-plan.tsx'
import { type Card, useFollowed, useSubscriber } from './use-subscriber.ts'

/** The card of a subscriber: a head that says how things stand, and tabs, each a screen of its own. */
export default function SubscriberCard() {
  const card = useSubscriber()
  const { id, name, contract_number } = card.subscriber
  useTitle(name)
  useFollowed(id)
  return (
    <div className={styles.card}>
      <CardHead card={card} />
      <Tabs id={id} />
      <div className={styles.tab}>
        <WhoseProvider value={`${name}, ${contract_number}`}>
          <Suspense>
            <Outlet />
          </Suspense>
        </WhoseProvider>
      </div>
    </div>
  )
}

/** To the place of the rail that the card was opened from, such as the sessions, or else to the subscribers. */
function useBack(id: number): Back {
  const t = useTexts(cardTexts)
  const own = `/subscribers/${id}/`
  const from = useOpenedFrom(own)
  const isPlace = everyPlace.some(({ to }) => to !== '/' && to.split('?')[0] === from)
  if (from === null || from === '/subscribers/' || !isPlace) return { to: '/subscribers/', label: t.back }
  return { to: from, label: t.backThere, own }
}

function CardHead({ card }: { readonly card: Card }) {
  const format = useFormat()
  const { subscriber } = card
  const { name, contract_number, address, phone } = subscriber
  const back = useBack(subscriber.id)
  return (
    <header className={styles.head}>
      <div className={styles.names}>
        <BackLink {...back} />
        <div>
          <div className={styles.title}>
            <h1>{name}</h1>
            <AccessSentence facts={card.subscriber} />
          </div>
          <p className={styles.facts}>
            <Copy text={contract_number} />
            {address && <span>{format.address(address)}</span>}
            {phone && <Copy text={phone} />}
          </p>
        </div>
      </div>
      <Standing card={card} />
      <Actions card={card} />
    </header>
  )
}

/** Money on the left, then the tariff, then the line. */
function Standing({ card: { subscriber, sessions } }: { readonly card: Card }) {
  const t = useTexts(cardTexts)
  const format = useFormat()
  const { id, balance, promise_pay, promise_until, tarif_name, next_tarif_name, next_tarif_date } = subscriber
  const newest = sessions.at(-1)
  return (
    <dl className={styles.standing}>
      <div>
        <dt>{t.balance}</dt>
        <dd className={styles.large}>
          <Balance balance={balance} />
        </dd>
        {promise_until && promise_pay && <dd>{t.lent(format.money(promise_pay), format.moment(promise_until))}</dd>}
      </div>
      <div>
        <dt>{t.tariff}</dt>
        <dd>{tarif_name ?? '–'}</dd>
        {next_tarif_name && (
          <dd className={styles.plan}>
            {t.nextTariff(next_tarif_name, format.day(next_tarif_date))}
            <DropPlan id={id} />
          </dd>
        )}
      </div>
      <div>
        <dt>{t.line}</dt>
        <dd>{newest ? t.onlineSince(format.moment(newest.started_at)) : t.offline}</dd>
        {newest?.ip && (
          <dd className={styles.mono}>
            <Copy text={newest.ip} />
          </dd>
        )}
      </div>
    </dl>
  )
}

function Tabs({ id }: { readonly id: number }) {
  const t = useTexts(cardTexts)
  const { pathname } = useLocation()
  const open = pathname.split('/')[3] || tabs[0]
  const bar = useRef<HTMLElement>(null)
  // On a telephone the bar is wider than the screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is what moves the bar
  useEffect(() => {
    bar.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [open])
  return (
    <nav ref={bar} className={styles.tabs} aria-label={t.tabs}>
      {tabs.map((tab) => (
        <Link key={tab} to={`/subscribers/${id}/${tab}/`} aria-current={tab === open ? 'page' : undefined}>
          {t[tab]}
        </Link>
      ))}
    </nav>
  )
}
