import { Button, Group } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ask } from '../../api/client.ts'
import { forget, useSend } from '../../api/use-door.ts'
import { useConfirm } from '../../patterns/confirm.tsx'
import { told } from '../../patterns/told.ts'
import { useSayRefusal } from '../../texts/refusals.ts'
import { useTexts } from '../../texts/texts.ts'
import { RemoveRecord } from '../dictionaries/remove-record.tsx'
import { sessionsDoor, staffDoor, staffPath, type User, userDoor } from './doors.ts'
import { staffTexts } from './texts.ts'

const outdated = [staffDoor, userDoor, sessionsDoor] as const

/** What is done with a staff user at once: out of all sessions, without the second factor, gone. */
export function UserDeeds({ user }: { readonly user: User }) {
  const t = useTexts(staffTexts)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const leave = () => {
    void forget(queries, [staffDoor])
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
  const say = useSayRefusal()
  const confirm = useConfirm()
  const send = useSend('POST /admin/logout_everywhere/', outdated)
  const run = async () => {
    if (!(await confirm({ title: t.signOutAsks(username), says: t.signOutSays, deed: t.signOut, isDangerous: true })))
      return
    send.mutate(
      { body: { staff: id } },
      {
        onSuccess: ({ ended }) => told.done(t.signedOut(ended)),
        onError: (error) => told.failed(say(error)),
      },
    )
  }
  return (
    <Button variant="default" loading={send.isPending} onClick={() => void run()}>
      {t.signOut}
    </Button>
  )
}

function RemoveFactor({ user: { id, username } }: { readonly user: User }) {
  const t = useTexts(staffTexts)
  const say = useSayRefusal()
  const confirm = useConfirm()
  const send = useSend('POST /admin/dictionary/staff_crud/{id}/', outdated)
  const run = async () => {
    const asked = {
      title: t.removeFactorAsks(username),
      says: t.removeFactorSays,
      deed: t.removeFactor,
      isDangerous: true,
    }
    if (!(await confirm(asked))) return
    send.mutate(
      { path: { id }, body: { remove_second_factor: true } },
      {
        onSuccess: () => told.done(t.saved),
        onError: (error) => told.failed(say(error)),
      },
    )
  }
  return (
    <Button variant="default" loading={send.isPending} onClick={() => void run()}>
      {t.removeFactor}
    </Button>
  )
}
