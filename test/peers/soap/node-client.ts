import { type Client, createClientAsync, HttpClient } from 'soap'
import { hashOf } from '../../interfaces/soap/fixture.ts'
import type { Told } from './programs.ts'

/** The library's own message, spoiled on its way. */
class SpoilingHttp extends HttpClient {
  spoil: ((request: string) => string) | null = null

  override request(...[url, data, ...rest]: Parameters<HttpClient['request']>): ReturnType<HttpClient['request']> {
    return super.request(url, this.spoil ? this.spoil(data as string) : data, ...rest)
  }
}

type Fault = { root?: { Envelope?: { Body?: { Fault?: { faultcode?: string; faultstring?: string } } } } }

/** What a program on the npm package `soap` does and sees. */
export async function askWithNode(
  base: string,
  [username, password, salt, contract]: readonly [string, string, string, string],
): Promise<Record<string, Told>> {
  const http = new SpoilingHttp()
  const users = await createClientAsync(`${base}/api/v2/?wsdl`)
  const fiscal = await createClientAsync(`${base}/api/fiscal/?wsdl`, { httpClient: http })
  const call = async (client: Client, operation: string, said: object): Promise<Told> => {
    try {
      const [answer] = await client[`${operation}Async`](said)
      const result = answer[`${operation}Result`]
      return { result: typeof result === 'string' ? result : result.hash }
    } catch (error) {
      const { faultcode = '', faultstring = '' } = (error as Fault).root?.Envelope?.Body?.Fault ?? {}
      return { code: faultcode, text: faultstring }
    }
  }
  const signIn = (word: string) => call(users, 'get_user_hash', { username, hash: hashOf(word, salt) })
  const hash = await signIn(password)
  const act = (ACT: string, SUM_IN: string, PAY_ID_STR: string, hash_key = hash.result) =>
    call(fiscal, 'pay_usr_act2', {
      ...{ hash_key, ACT, CONTRACT_NUMBER: contract, SUM_IN, PAY_OPERATOR: 'node' },
      ...{ COMMENT_IN: 'касса <1> & «2»', PAY_ID_STR },
    })
  const spoiled = async (spoil: (request: string) => string): Promise<Told> => {
    http.spoil = spoil
    const answer = await act('CHECK', '', '')
    http.spoil = null
    return answer
  }
  return {
    hash,
    wrongHash: await signIn('wrong'),
    check: await act('CHECK', '', ''),
    pay: await act('PAY', '100,50', 'p-1'),
    repeat: await act('PAY', '100.5', 'p-1'),
    otherSum: await act('PAY', '100.51', 'p-1'),
    wrongKey: await act('PAY', '1', 'p-2', '0'.repeat(32)),
    imported: await call(fiscal, 'pay_usr_act_import', {
      ...{
        hash_key: hash.result,
        ACT_LIST: `${contract};9,50;p-3;${new Date().toISOString().slice(0, 10)};\nnobody;1;p-4;;`,
        PAY_OPERATOR: 'node',
      },
    }),
    unknownOperation: await spoiled((request) => request.replaceAll('pay_usr_act2', 'pay_usr_act9')),
    brokenXml: await spoiled((request) => request.slice(0, -10)),
  }
}
