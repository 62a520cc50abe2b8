import { parseArgs } from 'node:util'
import type { Behaviour } from './behaviour.ts'
import { SimulatedGatewayA } from './gateway-a.ts'
import { SimulatedGatewayB } from './gateway-b.ts'

/**
 * A simulated payment gateway as a program of its own, on the loopback: `node src/demo/gateways/main.ts --gateway a
 * --webhook http://127.0.0.1:8080/lk/payments/webhook/ [--port 9001] [--repeats 3] …`. Prints in one line of JSON where
 * it listens, and stops on SIGTERM.
 */
const { values } = parseArgs({
  options: {
    gateway: { type: 'string', default: 'a' },
    port: { type: 'string', default: '0' },
    webhook: { type: 'string' },
    id: { type: 'string', default: '100500' },
    key: { type: 'string', default: 'test_simulated_gateway_key_of_the_demo' },
    password: { type: 'string', default: 'simulated password' },
    repeats: { type: 'string', default: '1' },
    forged: { type: 'string', default: '0' },
    retries: { type: 'string', default: '3' },
    'retry-ms': { type: 'string', default: '1000' },
    'wrong-order': { type: 'boolean', default: false },
    'wrong-sum': { type: 'boolean', default: false },
    /** The program ends when its standard input is closed, that is, with its parent. */
    attached: { type: 'boolean', default: false },
    silent: { type: 'boolean', default: false },
    creation: { type: 'string', default: 'fine' },
    reading: { type: 'string', default: 'fine' },
  },
})

const { webhook } = values
if (webhook === undefined) {
  process.stderr.write('Say where the notices go: --webhook http://127.0.0.1:8080/lk/payments/webhook/\n')
  process.exit(1)
}
const behaviour: Partial<Behaviour> = {
  repeats: Number(values.repeats),
  forged: Number(values.forged),
  retries: Number(values.retries),
  retryMs: Number(values['retry-ms']),
  wrongOrder: values['wrong-order'],
  wrongSum: values['wrong-sum'],
  silent: values.silent,
  creation: values.creation as Behaviour['creation'],
  reading: values.reading as Behaviour['reading'],
}
const { id, key, password } = values
const gateway =
  values.gateway === 'b'
    ? new SimulatedGatewayB({ merchantId: id, secretKey: key, webhook }, behaviour)
    : new SimulatedGatewayA({ shopId: id, secretKey: key, shopPassword: password, webhook }, behaviour)
await gateway.start(Number(values.port))
const addresses = { form: gateway.formUrl, ...('apiUrl' in gateway && { api: gateway.apiUrl }) }
process.stdout.write(`${JSON.stringify(addresses)}\n`)
const end = () => void gateway.stop().then(() => process.exit(0))
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end)
if (values.attached) process.stdin.on('end', end).resume()
