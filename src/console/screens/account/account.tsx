import { Alert, Button } from '@mantine/core'
import { Link, Outlet, useSearch } from '@tanstack/react-router'
import { useMe } from '../../api/me.tsx'
import { Choices } from '../../frame/choices.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { Panel } from '../../patterns/panel.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './account.module.css'
import { accountPath } from './endpoints.ts'
import { Factor } from './factor.tsx'
import { OwnSessions } from './sessions.tsx'
import { accountTexts } from './texts.ts'

/** One's own password, second factor, sessions and looks. */
export default function Account() {
  const t = useTexts(accountTexts)
  const { user, must_enrol: mustEnrol } = useMe()
  return (
    <>
      <PageHead title={t.title} says={user.username} />
      <Arrival />
      <Factor />
      <Panel
        title={t.password}
        actions={
          <Button component={Link} to={`${accountPath}new-password/`} variant="default">
            {t.changePassword}
          </Button>
        }
      >
        <p>{t.passwordSays}</p>
      </Panel>
      <OwnSessions />
      {!mustEnrol && (
        <Panel
          title={t.tokens}
          actions={
            <Button component={Link} to="/system/tokens/" variant="default">
              {t.toTokens}
            </Button>
          }
        >
          <p>{t.tokensSay}</p>
        </Panel>
      )}
      <Panel title={t.looks}>
        <div className={styles.looks}>
          <Choices />
        </div>
      </Panel>
      <Outlet />
    </>
  )
}

/** Why the sign-in led here, and the way on to what was asked for. */
function Arrival() {
  const t = useTexts(accountTexts)
  const { must_enrol: mustEnrol } = useMe()
  const { weak, next = '/admin/' } = useSearch({ strict: false }) as { readonly weak?: string; readonly next?: string }
  if (mustEnrol)
    return (
      <Alert color="orange" mb="md" role="alert">
        {t.enrol}
      </Alert>
    )
  if (weak !== '1') return null
  return (
    <Alert color="orange" mb="md" role="alert">
      {t.weak} <a href={ownAddress(next)}>{t.goOn}</a>
    </Alert>
  )
}

/** An address of this server; what leads elsewhere leads to the first screen. */
function ownAddress(next: string): string {
  const url = URL.canParse(next, location.origin) ? new URL(next, location.origin) : null
  return url?.origin === location.origin ? url.pathname + url.search : '/admin/'
}
