import { Button } from '@mantine/core'
import { Link, useRouterState } from '@tanstack/react-router'
import { isMac } from '../../format/mac.ts'
import { useTexts } from '../../texts/texts.ts'
import { unknownTexts } from './sign-in-texts.ts'

export type Asked = { readonly login: string | null; readonly mac: string | null }

/** A device names itself by its MAC where nobody has typed a login into it. */
export const isByMac = ({ login }: Asked): boolean => !login || isMac(login)

/** Opens the form that makes a login, or the MAC of one, of what an unknown login has sent. */
export function MakeLogin({ login, mac }: Asked) {
  const t = useTexts(unknownTexts)
  const here = useRouterState({ select: ({ location }) => location.pathname })
  const device = [mac, login].find((text) => text !== null && isMac(text)) ?? null
  const says = isByMac({ login, mac }) ? t.addMac : t.make
  const search = (before: object) => ({ ...before, unknown: login ?? undefined, device: device ?? undefined })
  return (
    <Button
      component={Link}
      to={`${here.replace(/take\/$/, '')}take/`}
      search={search as never}
      variant="subtle"
      size="compact-sm"
      aria-label={[says, login || device].filter(Boolean).join(': ')}
    >
      {says}
    </Button>
  )
}
