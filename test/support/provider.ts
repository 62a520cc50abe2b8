import { SimulatedNas } from '../../src/demo/simulated-nas.ts'
import type { TestProgram } from './program.ts'
import { freeUdpPort } from './free-port.ts'

export const ruble = 10_000_000_000
export const linePassword = 'line-password'

export type Client = { subscriber: number; account: number; login: string }

/** A NAS that the program knows, with its record made by REST. */
export async function simulateNas(
  program: TestProgram,
  ip: string,
  onDisconnected: (login: string) => void = () => {},
): Promise<SimulatedNas> {
  const coaPort = await freeUdpPort(ip)
  const record = { name: `nas ${ip}`, ip, secret: 'testing123', nas_type: 'mikrotik', coa_port: coaPort }
  await program.create('Nas', record)
  const { authPort, acctPort } = program.address
  const server = { host: '127.0.0.1', authPort, acctPort }
  const nas = new SimulatedNas({ ip, secret: 'testing123', coaPort, server, onDisconnected })
  await nas.start()
  return nas
}

/** Subscribers with an account and a login each, on one tariff; `more` are further fields of the logins. */
export async function signUp(program: TestProgram, count: number, more: object = {}): Promise<Client[]> {
  const tariff = await program.create('Tarif', { name: 'Home', price: 600 * ruble, speed_mbit: 100 })
  const clients: Client[] = []
  for (let n = 1; n <= count; n++) {
    const contract = String(n).padStart(6, '0')
    const named = { name: `Subscriber ${n}`, contract_number: contract, tarif: tariff.id }
    const abonent = await program.create('Abonents', named)
    const login = `line${n}`
    await program.create('Users', { abonent: abonent.id, login, password: linePassword, ...more })
    clients.push({ subscriber: abonent.id, account: abonent.account, login })
  }
  return clients
}
