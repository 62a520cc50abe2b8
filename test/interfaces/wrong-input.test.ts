import { readFileSync } from 'node:fs'
import t from 'tap'
import { clientUser, newSubscriber, openDoors } from './door.ts'

/**
 * The table: a door and the type of the body, then an answer and below it, indented, what gets it: the query of a GET or
 * DELETE, the body of a POST. `<x*1001>` stands for 1001 times the letter.
 */
const table = readFileSync(new URL('wrong-input.txt', import.meta.url), 'utf8').trimEnd()
const written = (text: string) =>
  text
    .replace('(nothing)', '')
    .replace(/<([^<>]+)\*(\d+)>/g, (_, unit: string, times: string) => unit.repeat(Number(times)))

t.test('each door refuses wrong input with the same status and in the same words', async (t) => {
  const doors = await openDoors(t)
  const { abonent } = await newSubscriber(doors)
  await doors.rows(`INSERT INTO fin_types (type_id, op_name, op_sign, enabled) VALUES (200, 'Old', 1, false)`)
  const [problem] = await doors.rows(
    `INSERT INTO payment_problems (gateway, protocol, reason, detail, organization_id, notice, fingerprint)
      VALUES ('gwa', 'rest', 'unknownOrder', 'order 7', 1, 'order=7', 'wrong input') RETURNING id`,
  )
  const placed = (text: string) =>
    text.replace(':abonent', abonent.id).replace(':account', abonent.account).replace(':problem', problem.id)
  for (const [n, block] of table.split('\n\n').entries()) {
    const [head = '', ...lines] = block.split('\n')
    const [method = '', path = '', type = 'application/json'] = head.split(' ')
    let answer = ''
    for (const line of lines) {
      if (!line.startsWith('  ')) {
        answer = line
        continue
      }
      const sent = placed(written(line.slice(2)))
      // A client of its own for each door, because phones may send thirty requests a minute.
      const options = { headers: { 'content-type': type }, client: clientUser(n + 1) }
      const { status, text } = await (method === 'POST'
        ? doors.call(method, placed(path), { ...options, raw: sent })
        : doors.call(method, `${placed(path)}?${sent}`, options))
      t.equal(`${status} ${text}`, answer, `${head} ${line.slice(2, 100)}`)
    }
  }
})
