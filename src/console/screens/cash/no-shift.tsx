import { Alert } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useEndpoint } from '../../api/use-endpoint.ts'
import { useTexts } from '../../texts/texts.ts'
import { cashTexts } from './texts.ts'
import { deskEndpoint, deskPath } from './use-desk.ts'

/** Says, where cash is about to be taken outside the cash desk, that no shift is open. */
export function NoShift() {
  const t = useTexts(cashTexts)
  const { data } = useEndpoint(deskEndpoint, {})
  if (data?.shift !== null) return null
  return (
    <Alert color="yellow" role="status">
      {t.cashInNone} <Link to={deskPath as never}>{t.open}</Link>
    </Alert>
  )
}
