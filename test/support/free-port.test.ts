import t from 'tap'
import { freeTcpPort, freeUdpPort } from './free-port.ts'

for (const [kind, freePort] of Object.entries({ TCP: freeTcpPort, UDP: freeUdpPort }))
  t.test(`a free ${kind} port that nobody has bound yet is given out once`, async (t) => {
    const first = await freePort()
    const chosen = [first, first + 1 < 32_000 ? first + 1 : 20_000]
    t.capture(Math, 'random', () => ((chosen.shift() ?? 25_000) - 20_000 + 0.5) / 12_000)
    t.not(await freePort(), first)
    t.notOk(chosen.includes(first), 'it was tried')
  })
