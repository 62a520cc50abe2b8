import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useMay } from '../../../api/me.tsx'
import { useFormat } from '../../../format/format.ts'
import { Copy } from '../../../patterns/copy.tsx'
import { Facts } from '../../../patterns/facts.tsx'
import { Panel } from '../../../patterns/panel.tsx'
import { Pill } from '../../../patterns/pill.tsx'
import { type Action, useActions } from '../../../search/actions.ts'
import { useTexts } from '../../../texts/texts.ts'
import { useClosed } from '../access-sentence.tsx'
import { cardTexts } from '../texts.ts'
import { useSubscriber } from '../use-subscriber.ts'
import styles from './logins.module.css'
import { loginTexts, macTexts, passwordTexts } from './texts.ts'
import type { Login } from './use-login.ts'

/** The logins of the subscriber with all that they have, and what may be done with each. */
export function Logins() {
  const card = useTexts(cardTexts)
  const t = useTexts(loginTexts)
  const may = useMay()
  const navigate = useNavigate()
  const { id, deleted, logins } = useSubscriber().subscriber
  const go = (path: string) => void navigate({ to: `/subscribers/${id}/connection/login/${path}/` })
  const mayChange = may('change') && !deleted
  return (
    <Panel
      title={card.logins}
      actions={
        mayChange && (
          <Button variant="default" onClick={() => go('new')}>
            {t.add}
          </Button>
        )
      }
    >
      {logins.length === 0 && <p className={styles.none}>{card.noLogins}</p>}
      {logins.map((login) => (
        <article key={login.id} className={styles.login} aria-label={login.login}>
          <header>
            <strong>
              <Copy text={login.login} />
            </strong>
            <State login={login} />
            {mayChange && <LoginActions login={login} go={go} />}
          </header>
          <LoginFacts login={login} />
        </article>
      ))}
    </Panel>
  )
}

/** A login that nobody has switched off is enabled, and may still have no access, as the whole subscriber has none. */
function State({ login: { enabled, disabled_by_hand: byHand } }: { readonly login: Login }) {
  const card = useTexts(cardTexts)
  const t = useTexts(loginTexts)
  const closed = useClosed(useSubscriber().subscriber)
  if (byHand) return <Pill tone="bad">{t.byHand}</Pill>
  if (enabled) return <Pill tone="good">{card.enabled}</Pill>
  return <Pill tone="bad">{closed ?? card.switchedOff}</Pill>
}

function LoginActions({ login: { id, login }, go }: { readonly login: Login; readonly go: (path: string) => void }) {
  const t = useTexts(loginTexts)
  const password = useTexts(passwordTexts)
  const mac = useTexts(macTexts)
  const actions = [
    { title: password.password, full: password.title(login), icon: 'key', run: () => go(`${id}/password`) },
    { title: mac.action, full: mac.title(login), icon: 'link', run: () => go(`${id}/mac`) },
    { title: t.change, full: t.changeOf(login), icon: 'system', run: () => go(String(id)) },
  ] as const satisfies readonly (Action & { full: string })[]
  useActions(actions.map(({ full: title, icon, run }) => ({ title, icon, run })))
  return (
    <div className={styles.actions}>
      {actions.map(({ title, run }) => (
        <Button key={title} variant="default" size="xs" onClick={run}>
          {title}
        </Button>
      ))}
    </div>
  )
}

function LoginFacts({ login }: { readonly login: Login }) {
  const card = useTexts(cardTexts)
  const t = useTexts(loginTexts)
  const speed = useSpeed()
  const { ip, pool_name: pool, mac, switch_name: device, switch_port: port } = login
  const place = [device, port !== null && `${device ? card.port.toLowerCase() : card.port} ${port}`]
    .filter(Boolean)
    .join(', ')
  return (
    <Facts
      facts={[
        ['IP', ip ? <Copy key="ip" text={ip} /> : t.fromPool],
        [card.pool, pool],
        [t.ipv6, login.ipv6_prefix && <Copy key="ipv6" text={login.ipv6_prefix} />],
        [t.delegated, login.delegated_ipv6_prefix && <Copy key="delegated" text={login.delegated_ipv6_prefix} />],
        ['MAC', mac && <Copy key="mac" text={mac} />],
        [t.place, place],
        [t.vlan, login.vlan],
        [t.speed, speed],
        [t.sessionsMax, login.simultaneous_use],
        [t.ownReply, login.radius_reply.map(({ name, value, op = '=' }) => `${name} ${op} ${value}`).join('; ')],
      ]}
    />
  )
}

/** What the tariff lets through. */
function useSpeed(): string {
  const t = useTexts(loginTexts)
  const format = useFormat()
  const { tarif_speed_mbit: down, tarif_upload_mbit: up } = useSubscriber().subscriber
  return down === null ? t.noLimit : t.speedOf(format.number(down), format.number(up ?? down))
}
