import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { Process } from '../app/processes.ts'
import { freeUdpPort } from './free-port.ts'
import { signalIfThere } from './own-server.ts'

const run = promisify(execFile)

const mayOpen =
  spawnSync('unshare', ['--net', 'sh', '-c', 'ip link set lo up && ip link add one type veth peer name two']).status ===
  0

/** For tests of programs that need a network of their own: why they are left out, or false. */
export const machinesMissing: string | false = mayOpen
  ? false
  : 'Left out: network namespaces with a veth pair need root, unshare and ip.'
export const tunnelsMissing: string | false =
  machinesMissing || (existsSync('/dev/net/tun') ? false : 'Left out: there is no /dev/net/tun.')

/**
 * A network namespace, as another machine on the network of this one. It and its interfaces are gone when the test is
 * through, also when the test was killed: it lasts as long as its input is open and programs run in it.
 */
export class Machine {
  readonly pid: number
  /** The ends of its cables to this machine. */
  readonly #ends: string[] = []

  private constructor(pid: number) {
    this.pid = pid
  }

  static async open(t: Test): Promise<Machine> {
    const holder = spawn('unshare', ['--net', 'cat'], { stdio: ['pipe', 'pipe', 'inherit'] })
    const machine = new Machine(holder.pid!)
    t.teardown(async () => {
      // Those of a namespace go in the background, and a browser of the next test would drop its requests then.
      for (const end of machine.#ends) await run('ip', ['link', 'delete', end])
      holder.stdin.end()
      if (holder.exitCode === null) await once(holder, 'close')
    })
    // It answers from within the namespace.
    holder.stdin.write('\n')
    await once(holder.stdout, 'data')
    // Packets of IPv6 that the system sends by itself would be counted with those of the test.
    await machine.run('sh', '-c', 'echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6')
    await machine.run('ip', 'link', 'set', 'lo', 'up')
    return machine
  }

  /** What a program prints that ends by itself. Rejects when its status is not 0. */
  async run(program: string, ...args: string[]): Promise<string> {
    const [command, ...more] = this.#within(program, args)
    return (await run(command!, more)).stdout
  }

  /** A program that runs on. */
  start(t: Test, program: string, ...args: string[]): Process {
    const [command, ...more] = this.#within(program, args)
    const started = new Process(t, ['--pdeathsig', 'KILL', command!, ...more], {}, 'setpriv')
    t.teardown(() => this.#endPrograms())
    return started
  }

  /** Also those that another program has started; what they hold open would keep that one from being over. */
  #endPrograms(): void {
    const network = networkOf(this.pid)
    for (const name of readdirSync('/proc')) {
      const pid = Number(name)
      if (pid > 0 && pid !== this.pid && networkOf(pid) === network) signalIfThere(pid, 'SIGKILL')
    }
  }

  /** A cable between two machines; each end has the name by which that machine knows it, and an address unless null. */
  async cable(name: string, address: string | null, other: Machine, otherName: string, otherAddress: string | null) {
    const peer = ['peer', 'name', otherName, 'netns', String(other.pid)]
    await this.run('ip', 'link', 'add', name, 'type', 'veth', ...peer)
    await this.#up(name, address)
    await other.#up(otherName, otherAddress)
  }

  /** A cable to this machine; the two addresses are taken by no other test that runs. */
  async uplink(): Promise<{ here: string; there: string }> {
    const number = await freeUdpPort()
    const name = `test${number}`
    // Of the network for measurements, RFC 2544 appendix C.2.2.
    const at = (host: number) => {
      const bits = number * 4 + host
      return `198.${18 + (bits >> 16)}.${(bits >> 8) & 0xff}.${bits & 0xff}`
    }
    const [here, there] = [at(1), at(2)]
    await run('ip', ['link', 'add', name, 'type', 'veth', 'peer', 'name', 'uplink', 'netns', String(this.pid)])
    this.#ends.push(name)
    await run('ip', ['address', 'add', `${here}/30`, 'dev', name])
    await run('ip', ['link', 'set', name, 'up'])
    await this.#up('uplink', `${there}/30`)
    return { here, there }
  }

  async #up(name: string, address: string | null): Promise<void> {
    if (address !== null) await this.run('ip', 'address', 'add', address, 'dev', name)
    await this.run('ip', 'link', 'set', name, 'up')
  }

  #within(program: string, args: readonly string[]): string[] {
    return ['nsenter', `--net=/proc/${this.pid}/ns/net`, program, ...args]
  }
}

/** Null for a process that has ended meanwhile. */
function networkOf(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`)
  } catch {
    return null
  }
}
