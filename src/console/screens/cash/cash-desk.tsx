import { Button } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { PageHead } from '../../patterns/page-head.tsx'
import { useTexts } from '../../texts/texts.ts'
import styles from './cash.module.css'
import { Opening } from './opening.tsx'
import { OpenShift } from './shift-panel.tsx'
import { Taking } from './taking.tsx'
import { cashTexts } from './texts.ts'
import { deskEndpoint, shiftsPath } from './use-desk.ts'

/** Where a cashier takes payments, within a shift. */
export default function CashDesk() {
  const t = useTexts(cashTexts)
  const { data } = useEndpoint(deskEndpoint, {})
  const all = (
    <Button component={Link} to={shiftsPath as never} variant="default">
      {t.allShifts}
    </Button>
  )
  return (
    <>
      <PageHead title={t.title} actions={all} />
      {data?.shift === null && <Opening />}
      {data?.shift && (
        <div className={styles.desk}>
          <Taking />
          <OpenShift desk={data} shift={data.shift} />
        </div>
      )}
      <Outlet />
    </>
  )
}
