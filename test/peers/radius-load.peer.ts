// needs gcc from gcc
// needs /usr/include/stdio.h from libc6-dev
import { createHash } from 'node:crypto'
import t from 'tap'
import { type LoadOptions, type LoadResult, load } from '../../native-bench/radius/load.ts'
import { blockedEvery, secret } from '../../native-bench/radius/subscribers.ts'
import { HonestServer, type Lies } from '../support/honest-server.ts'

/** The load generator of native-bench/radius-load against servers that tell the truth, and against such that do not. */
const requests = 300

async function ask(lies: Lies, options: Partial<LoadOptions> = {}): Promise<LoadResult & { unauthentic: number }> {
  const server = await HonestServer.start(lies)
  try {
    const result = await load({
      port: server.port,
      method: 'pap',
      users: 1000,
      'blocked-every': blockedEvery,
      'wrong-every': 10,
      sockets: 2,
      outstanding: 16,
      requests,
      seconds: 240,
      seed: 7,
      timeout: 60,
      ...options,
    })
    return { ...result, unauthentic: server.unauthentic }
  } finally {
    server.close()
  }
}

/** A Response Authenticator of somebody who does not know the secret. */
function forge(answer: Buffer): Buffer {
  answer[4]! ^= 1
  return answer
}

/** A wrong Message-Authenticator under a right Response Authenticator. */
function forgeInside(answer: Buffer, _nth: number, request: Buffer): Buffer {
  answer[22]! ^= 1
  const parts = [answer.subarray(0, 4), request.subarray(4, 20), answer.subarray(20)]
  createHash('md5').update(Buffer.concat(parts)).update(secret).digest().copy(answer, 4)
  return answer
}

t.test('of an honest server nothing is wrong, by any method', async (t) => {
  for (const method of ['pap', 'chap', 'mschapv2'] as const) {
    const found = await ask({}, { method })
    t.match(found, { sent: requests, answered: requests, wrong: 0, lost: 0, late: 0, unauthentic: 0 }, method)
    t.equal(found.accepted + found.rejected, requests, method)
    t.ok(found.rejected >= requests / 10 && found.rejected < requests / 5, `${method}: ${found.rejected} rejected`)
  }
})

t.test('an accept that was not deserved is found, and a reject', async (t) => {
  const honest = await ask({})
  t.match(await ask({ decide: () => true }), { undeservedAccepts: honest.rejected, wrong: honest.rejected })
  t.match(await ask({ decide: () => false }), { undeservedRejects: honest.accepted, wrong: honest.accepted })
})

t.test('an accept of somebody else, or without the proof of MS-CHAPv2, is wrong', async (t) => {
  const found = await ask({ address: () => '10.9.9.9' })
  t.equal(found.malformed, found.accepted)
  const unproven = await ask({ isUnproven: true }, { method: 'mschapv2' })
  t.equal(unproven.malformed, unproven.accepted)
})

t.test('an answer with a wrong authenticator counts as none', async (t) => {
  const short = { timeout: 2, tries: 1, requests: 20, outstanding: 20 }
  t.match(await ask({ datagram: forge }, short), { forged: 20, answered: 0, lost: 20 })
  t.match(await ask({ datagram: forgeInside }, short), { forged: 20, answered: 0, lost: 20 })
  t.match(await ask({ isUnsigned: true }, short), { unsigned: 20, wrong: 20 })
})

t.test('what is lost is sent again, and given up in the end', async (t) => {
  const once = await ask({ datagram: (answer, nth) => (nth === 3 ? null : answer) }, { timeout: 3 })
  t.match(once, { answered: requests, retransmitted: 1, lost: 0, wrong: 0 })
  t.match(await ask({ datagram: () => null }, { timeout: 0.05, tries: 3, requests: 10, sockets: 1, outstanding: 10 }), {
    sent: 10,
    retransmitted: 20,
    lost: 10,
    answered: 0,
  })
})

t.test('every session begins, is told of and ends, each packet signed', async (t) => {
  const found = await ask({}, { method: 'accounting', sessions: 50, interims: 2 })
  t.match(found, { wrong: 0, lost: 0, unauthentic: 0 })
  t.ok(found.updated > 0)
  t.equal(found.stopped, found.started)
})

t.test('a request repeated after its answer gets the same bytes, or it is told', async (t) => {
  t.match(await ask({}, { repeats: 2, requests: 50 }), { sent: 150, answered: 150, wrong: 0 })
  let counter = 0
  const found = await ask({ address: () => `10.0.1.${counter++ & 255}` }, { repeats: 1, requests: 50 })
  t.ok(found.unequalRepeats > 30)
})

t.test('in the open loop a request that could not be answered in time counts from when it was due', async (t) => {
  const found = await ask({ asleepMs: 300 }, { rate: 1000, requests: 400, outstanding: 2 })
  t.equal(found.sent, 400, 'those due while the server slept are sent all the same')
  t.ok(found.latency.max >= 290_000 && found.latency.p50 >= 50_000, JSON.stringify(found.latency))
})
