import t from 'tap'
import { apiRoutes } from '../../src/interfaces/admin/provider/api.ts'
import { inEachTurn } from '../support/turns.ts'

t.test('the description of the endpoints is made once, in turns with everything else', async (t) => {
  let publicUrl = 'https://one.example'
  const sectionsAt: number[] = []
  const routesAt: number[] = []
  let turns = 0
  const [route] = apiRoutes({
    routes: () => {
      routesAt.push(turns)
      return []
    },
    sections: () => {
      sectionsAt.push(turns)
      return []
    },
    publicUrl: () => publicUrl,
    version: '1.0.0',
  })
  const read = async () => {
    const { body } = await route!.handler({} as never)
    return JSON.parse(String(body)).servers[0].url
  }
  const twice = await inEachTurn(
    () => turns++,
    () => Promise.all([read(), read()]),
  )
  t.same(twice, ['https://one.example', 'https://one.example'])
  t.equal(await read(), 'https://one.example')
  t.same([sectionsAt.length, routesAt.length], [1, 1])
  t.ok(sectionsAt[0]! < routesAt[0]! && routesAt[0]! < turns, `${sectionsAt[0]}, ${routesAt[0]} and ${turns}`)
  publicUrl = 'https://two.example'
  t.equal(await read(), 'https://two.example', 'and anew for another address of the program')
})
