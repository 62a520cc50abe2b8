import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useFormat } from '../../format/format.ts'
import { Panel } from '../../patterns/panel.tsx'
import { PlainTable } from '../../patterns/plain-table.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './account.module.css'
import { accountPath, factorEndpoint, passkeysEndpoint } from './endpoints.ts'
import { accountTexts } from './texts.ts'

/** What one signs in with beside the password. */
export function Factor() {
  const t = useTexts(accountTexts)
  const { data, error } = useEndpoint(factorEndpoint, {})
  if (error && !data) throw error
  if (!data) return null
  const { mode, totp, recovery_codes_left: left } = data
  const isClosed = mode === 'off' && left === null
  return (
    <Panel title={t.factor}>
      <p>{left === null ? (isClosed ? t.isOff : t.noFactor) : t.codesLeft(left)}</p>
      {!isClosed && (
        <>
          <p>{totp ? t.applicationOn : t.applicationSays}</p>
          <div className={styles.actions}>
            <Button
              component={Link}
              to={`${accountPath}${totp ? 'no-application' : 'application'}/`}
              variant={left === null ? 'filled' : 'default'}
            >
              {totp ? t.takeAway : t.setUp}
            </Button>
            {left !== null && (
              <Button component={Link} to={`${accountPath}recovery-codes/`} variant="default">
                {t.renew}
              </Button>
            )}
          </div>
          <Passkeys />
        </>
      )}
    </Panel>
  )
}

function Passkeys() {
  const t = useTexts(accountTexts)
  const format = useFormat()
  const { data } = useEndpoint(passkeysEndpoint, {})
  return (
    <>
      <h3 className={styles.part}>{t.passkeys}</h3>
      <p>{t.passkeysSay}</p>
      <div className={styles.actions}>
        <Button component={Link} to={`${accountPath}passkey/`} variant="default">
          {t.addPasskey}
        </Button>
      </div>
      <PlainTable
        label={t.passkeys}
        rows={data?.items}
        rowKey={({ id }) => id}
        none={t.noPasskeys}
        columns={[
          { title: t.name, cell: ({ name }) => name },
          { title: t.added, cell: (one) => format.moment(one.created_at) },
          { title: t.used, cell: (one) => (one.used_at === null ? t.never : format.moment(one.used_at)) },
          {
            title: t.remove,
            isAction: true,
            cell: ({ id, name }) => (
              <Button
                component={Link}
                to={`${accountPath}no-passkey/${id}/` as never}
                variant="default"
                size="compact-sm"
                aria-label={t.removeOf(name)}
              >
                {t.remove}
              </Button>
            ),
          },
        ]}
      />
    </>
  )
}
