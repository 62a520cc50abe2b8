import { Button, Group } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { ask } from '../../api/client.ts'
import { forget } from '../../api/use-endpoint.ts'
import { useConfirm } from '../../patterns/confirm.tsx'
import { useGo } from '../../patterns/late.ts'
import { told } from '../../patterns/told.ts'
import { useTold } from '../../patterns/use-told.ts'
import { useTexts } from '../../texts/texts.ts'
import { RemoveRecord } from '../dictionaries/remove-record.tsx'
import { sessionsEndpoint, staffEndpoint, staffPath, type User, userEndpoint } from './endpoints.ts'
import { staffTexts } from './texts.ts'

const outdated = [staffEndpoint, userEndpoint, sessionsEndpoint] as const

/** What is done with a staff user at once: out of all sessions, without the second factor, gone. */
export function UserActions({ user }: { readonly user: User }) {
  const t = useTexts(staffTexts)
  const navigate = useGo()
  const queries = useQueryClient()
  const leave = () => {
    void forget(queries, [staffEndpoint])
    void navigate({ to: staffPath })
  }
  return (
    <Group gap="xs">
      {user.sessions > 0 && <SignOut user={user} />}
      {user.second_factor !== 'none' && <RemoveFactor user={user} />}
      <RemoveRecord
        name={user.username}
        says={t.removeSays}
        remove={() => ask('DELETE /admin/dictionary/staff_crud/{id}/', { path: { id: user.id } })}
        onDone={leave}
      />
    </Group>
  )
}

function SignOut({ user: { id, username } }: { readonly user: User }) {
  const t = useTexts(staffTexts)
  const confirm = useConfirm()
  const send = useTold('POST /admin/logout_everywhere/', outdated)
  const run = async () => {
    if (!(await confirm({ title: t.signOutAsks(username), says: t.signOutSays, action: t.signOut, isDangerous: true })))
      return
    send.run({ body: { staff: id } }, ({ ended }) => told.done(t.signedOut(ended)))
  }
  return (
    <Button variant="default" loading={send.isPending} onClick={() => void run()}>
      {t.signOut}
    </Button>
  )
}

function RemoveFactor({ user: { id, username } }: { readonly user: User }) {
  const t = useTexts(staffTexts)
  const confirm = useConfirm()
  const send = useTold('POST /admin/dictionary/staff_crud/{id}/', outdated)
  const run = async () => {
    const asked = {
      title: t.removeFactorAsks(username),
      says: t.removeFactorSays,
      action: t.removeFactor,
      isDangerous: true,
    }
    if (!(await confirm(asked))) return
    send.run({ path: { id }, body: { remove_second_factor: true } }, t.saved)
  }
  return (
    <Button variant="default" loading={send.isPending} onClick={() => void run()}>
      {t.removeFactor}
    </Button>
  )
}
