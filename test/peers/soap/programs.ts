import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openProgram } from '../../support/opened-program.ts'
import { cashDesk, type TestProgram } from '../../support/program.ts'

/** One answer as a client library shows it to its program. */
export type Told = { readonly result?: string; readonly code?: string; readonly text?: string }

const salt = 'соль'

/** The whole program with the salt of the clients, and where their day begins: they pay for today. */
export async function startTollgate(t: { teardown(deed: () => unknown): unknown }): Promise<TestProgram> {
  const program = await openProgram(t, {
    TOLLGATE_SETTING_SOAP_HASH_SALT: salt,
    TOLLGATE_SETTING_TIME_ZONE: 'UTC',
  })
  await program.makeCashDesk()
  return program
}

/** Somebody to be paid for, and what a client program is told to begin with. */
export async function newPayer(program: TestProgram, contract: string) {
  const record = { name: 'Сидоров Иван Петрович', contract_number: contract }
  const { status, body } = await program.rest('POST', '/rest_api/v2/Abonents/', record)
  if (status !== 201) throw new Error(JSON.stringify(body))
  const balance = async () => (await program.rest('GET', `/rest_api/v2/AdminAccounts/${body.account}/`)).body.ostatok
  return { balance, said: [cashDesk.username, cashDesk.password, salt, contract] as const }
}

/** A client program in another language; what it has printed. */
export async function runProgram(
  command: string,
  file: string,
  args: readonly string[],
): Promise<Record<string, Told>> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const { stdout } = await promisify(execFile)(command, [path, ...args], {
    timeout: 240_000,
    env: { ...process.env, TZ: 'UTC' },
  })
  return JSON.parse(stdout) as Record<string, Told>
}

/** What every client library shows of the same conversation. Of a code the prefix is the envelope's. */
export const expected = (contract: string) => ({
  hash: { result: /^[0-9a-f]{32}$/ },
  wrongHash: { code: /:Client\.WrongCredentials$/, text: 'Wrong user name or hash.' },
  check: { result: `OK;${contract};Сидоров И***;0.00` },
  pay: { result: /^OK;\d+;100\.50$/ },
  repeat: { result: /^OK;\d+;100\.50$/ },
  otherSum: { code: /:Client\.PayIdTaken$/, text: 'This PAY_ID_STR was taken before with another sum.' },
  wrongKey: { code: /:Client\.NotSignedIn$/, text: /get_user_hash/ },
  imported: { result: 'OK;1;0;1\n2;UnknownContract;There is no contract nobody.' },
  unknownOperation: { code: /:Client\.UnknownOperation$/, text: 'FiscalService has no operation pay_usr_act9.' },
  brokenXml: { code: /:Client\.BadXml$/, text: /no well-formed XML/ },
})
