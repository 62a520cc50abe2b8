import { Button, TextInput } from '@mantine/core'
import { Link, Outlet } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import type { Item } from '../../api/client.ts'
import { useMay, useMayHave } from '../../api/me.tsx'
import { useFormat } from '../../format/format.ts'
import { isMac } from '../../format/mac.ts'
import { useFollowing } from '../../live/use-following.ts'
import { useAddressFilters } from '../../patterns/list/address.ts'
import type { Column } from '../../patterns/list/columns.ts'
import { DataList } from '../../patterns/list/data-list.tsx'
import { PageHead } from '../../patterns/page-head.tsx'
import { Pill } from '../../patterns/pill.tsx'
import { useTexts } from '../../texts/texts.ts'
import { followMs, isReject } from './follow-rejects.ts'
import { MakeLogin } from './make-login.tsx'
import { reasonTexts, signInTexts, unknownTexts } from './sign-in-texts.ts'
import { reasonsEndpoint, TopReasons } from './top-reasons.tsx'

const endpoint = 'GET /admin/radius/log/'
type Answered = Item<typeof endpoint>

/** Of the chips: what operators look for most. */
const quick = ['unknown_login', 'wrong_password', 'blocked_debt', 'too_many_sessions', 'no_free_address'] as const

/** How sign-ins were answered, and why they were rejected. */
export default function SignIns() {
  const t = useTexts(signInTexts)
  const reasons = useTexts(reasonTexts)
  const columns = useColumns()
  const seesUnknown = useMayHave()({ isShared: true })
  useFollowing(['radius'], [endpoint, reasonsEndpoint], followMs, isReject)
  const chips = [{ value: '', label: t.all }, ...quick.map((value) => ({ value, label: reasons[value] }))]
  return (
    <>
      <PageHead
        title={t.title}
        actions={
          seesUnknown && (
            <Button component={Link} to="/network/log/unknown/" variant="default">
              {t.unknown}
            </Button>
          )
        }
      />
      <TopReasons />
      <DataList
        name="sign-ins"
        endpoint={endpoint}
        filters={['reason', 'login', 'mac', 'nas', 'abonent', 'result', 'from', 'to']}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ login }) => login ?? t.manyLogins}
        rowTo={({ abonent_id: id }) => (id === null ? null : `/subscribers/${id}/`)}
        chips={{ parameter: 'reason', list: chips }}
        more={<Who />}
        empty={{ title: t.none, says: t.noneSays }}
      />
      <Outlet />
    </>
  )
}

/** A login, or a MAC address in any spelling. */
function Who() {
  const t = useTexts(signInTexts)
  const [{ login, mac }, change] = useAddressFilters()
  const asked = login ?? mac ?? ''
  const [typed, setTyped] = useState(asked)
  useEffect(() => setTyped(asked), [asked])
  const find = () => {
    const text = typed.trim()
    change({ login: isMac(text) ? undefined : text || undefined, mac: isMac(text) ? text : undefined })
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        find()
      }}
    >
      <TextInput
        aria-label={t.find}
        placeholder={t.find}
        value={typed}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        onBlur={find}
      />
    </form>
  )
}

function useColumns(): readonly Column<Answered>[] {
  const t = useTexts(signInTexts)
  const reasons = useTexts(reasonTexts)
  const actions = useTexts(unknownTexts)
  const format = useFormat()
  const may = useMay()
  return useMemo(() => {
    const loginOf = ({ login }: Answered) => (login === null ? t.manyLogins : login === '' ? t.noLogin : login)
    const nasOf = ({ nas_id, nas_name }: Answered) => nas_name ?? (nas_id === null ? t.manyNas : String(nas_id))
    const reasonOf = ({ reason }: Answered) => (reason === null ? t.accept : reasons[reason])
    const columns: Column<Answered>[] = [
      { id: 'login', title: t.login, width: '16%', cell: loginOf, text: loginOf },
      { id: 'at', title: t.at, isOnCard: true, cell: ({ at }) => format.moment(at), text: ({ at }) => at },
      {
        id: 'reason',
        title: t.reason,
        width: '18%',
        isOnCard: true,
        cell: (row) => <Pill tone={row.result === 'accept' ? 'good' : 'bad'}>{reasonOf(row)}</Pill>,
        text: reasonOf,
      },
      {
        id: 'count',
        title: t.count,
        align: 'right',
        isOnCard: true,
        cell: ({ count }) => (count > 1 ? `× ${format.number(count)}` : ''),
        text: ({ count }) => count,
      },
      {
        id: 'subscriber',
        title: t.subscriber,
        isOnCard: true,
        cell: ({ abonent_id: id, abonent_name: name }) => id !== null && <Link to={`/subscribers/${id}/`}>{name}</Link>,
        text: (row) => row.abonent_name,
      },
      { id: 'nas', title: 'NAS', isOnCard: true, cell: nasOf, text: nasOf },
      { id: 'mac', title: 'MAC', isOnCard: true, cell: ({ mac }) => mac, text: ({ mac }) => mac },
      { id: 'port', title: t.port, isExtra: true, cell: ({ port }) => port, text: ({ port }) => port },
    ]
    const action: Column<Answered> = {
      id: 'take',
      title: actions.make,
      isAction: true,
      cell: ({ reason, login, mac }) =>
        reason === 'unknown_login' && (login !== null || mac !== null) && <MakeLogin login={login} mac={mac} />,
    }
    return may('change') ? [...columns, action] : columns
  }, [t, reasons, actions, format, may])
}
