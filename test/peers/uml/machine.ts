import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { emptyFolder, Process } from '../../app/processes.ts'
import { freeUdpPort } from '../../support/free-port.ts'

/** The machine's link ends at a tap of ours, for which it takes root. */
const mayLink = spawnSync('unshare', ['-n', 'ip', 'tuntap', 'add', 'tap0', 'mode', 'tap']).status === 0
export const machineSkip = mayLink ? false : 'Left out: a tap device needs root, unshare, ip and /dev/net/tun.'

/** Where files for the machine are: not in /dev, of which it has one of its own. */
export const filesParent = '/tmp'
/** Where the kernel keeps the machine's memory. */
const memoryParent = '/dev/shm'

/**
 * A Linux kernel as a program (User-Mode Linux), for programs that need more of a kernel than a container has. It sees
 * the files of this machine, read-only, and has one link to it. Gone with all its processes when the test is through,
 * and when the test is killed.
 */
export class Machine {
  /** This end of the link, and the other. */
  readonly hostIp: string
  readonly ip: string
  readonly #process: Process
  #asked = 0

  private constructor(process: Process, hostIp: string, ip: string) {
    this.#process = process
    this.hostIp = hostIp
    this.ip = ip
  }

  /** `modules` are those of the kernel that the test uses, and `writable` folders that are to be empty in it. */
  static async boot(
    t: Test,
    {
      modules,
      writable,
      megabytes = 128,
    }: { modules: readonly string[]; writable: readonly string[]; megabytes?: number },
  ): Promise<Machine> {
    const folder = emptyFolder(t, filesParent)
    // A port that no other test has gives the link addresses that no other has, in a network for tests (RFC 2544).
    const port = await freeUdpPort()
    const [tap, hostIp, ip] = [`uml${port}`, addressOf(2 * port), addressOf(2 * port + 1)]
    writeFileSync(join(folder, 'init'), init({ ip, modules, writable }), { mode: 0o755 })
    writeFileSync(join(folder, 'start.pl'), start)
    const kernel = [
      ...['linux.uml', `mem=${megabytes}M`, 'quiet', 'loglevel=1', `uml_dir=${folder}`],
      ...['rootfstype=hostfs', 'rootflags=/', 'ro', `init=${folder}/init`],
      ...['con=null', 'con0=fd:0,fd:1', `vec0:transport=tap,ifname=${tap}`],
      ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    ]
    // Nothing of it outlives this process.
    const contained = ['--pdeathsig', 'KILL', 'unshare', '--mount', '--pid', '--fork', '--kill-child']
    const options = { env: { ...globalThis.process.env, TMPDIR: memoryParent } }
    const process = new Process(t, [...contained, 'perl', join(folder, 'start.pl'), ...kernel], options, 'setpriv')
    await process.line(/^linked$/)
    for (const words of [`addr add ${hostIp}/31 dev ${tap}`, `link set ${tap} up`]) execFileSync('ip', words.split(' '))
    return new Machine(process, hostIp, ip)
  }

  /** What a command of the shell there prints. Throws when it fails. */
  async run(command: string): Promise<string> {
    const { status, text } = await this.try(command)
    if (status !== 0) throw new Error(`${command}\nended with ${status}:\n${text}`)
    return text
  }

  /** Its exit status with what it prints. */
  async try(command: string): Promise<{ status: number; text: string }> {
    const number = ++this.#asked
    this.#process.child.stdin!.write(`${number} ${command}\n`)
    const end = await this.#process.line(new RegExp(`^#${number} ends `))
    const { lines } = this.#process
    const text = lines.slice(lines.indexOf(`#${number} begins`) + 1, lines.indexOf(end)).join('\n')
    return { status: Number(end.split(' ')[2]), text }
  }

  /** The first line, past or to come, that something there writes to /dev/console. */
  line(pattern: RegExp): Promise<string> {
    return this.#process.line(pattern)
  }
}

const addressOf = (index: number): string => `198.${18 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`

/**
 * The memory of the kernel is a file in /dev/shm, from which a container often lets no program run. And the kernel can
 * neither keep the registers of processors with AMX nor run there: it keeps those of SSE, as on old processors, when
 * ptrace(PTRACE_GETREGSET, NT_X86_XSTATE) is refused.
 */
const start = `
system('mount', '-t', 'tmpfs', 'none', '/dev/shm') == 0 or die 'mount';
my ($prctl, $ptrace) = (157, 101);
my $filter = join '', map { pack 'SCCL', @$_ }
  [0x20, 0, 0, 0], [0x15, 0, 5, $ptrace],
  [0x20, 0, 0, 16], [0x15, 0, 3, 0x4204],
  [0x20, 0, 0, 32], [0x15, 0, 1, 0x202],
  [0x06, 0, 0, 0x00050016], [0x06, 0, 0, 0x7fff0000];
my $program = pack 'Sx6P', length($filter) / 8, $filter;
syscall($prctl, 38, 1, 0, 0, 0) == 0 or die "PR_SET_NO_NEW_PRIVS: $!";
syscall($prctl, 22, 2, $program) == 0 or die "PR_SET_SECCOMP: $!";
exec @ARGV or die "$ARGV[0]: $!";
`

/** So the programs there must use no larger registers, which would lose their values now and then. */
const environment = {
  GLIBC_TUNABLES: `glibc.cpu.hwcaps=${['XSAVE', 'XSAVEC', 'AVX', 'AVX2', 'AVX512F', 'AVX512VL', 'AVX_Fast_Unaligned_Load'].map((name) => `-${name}`).join(',')}`,
  OPENSSL_ia32cap: '0:0',
}

type Setup = { ip: string; modules: readonly string[]; writable: readonly string[] }

/** Reads commands, one a line, until there are no more. */
const init = ({ ip, modules, writable }: Setup): string => `#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/run TMPDIR=/run
mount -t proc proc /proc
mount -t sysfs sys /sys
for folder in /run ${writable.join(' ')}; do mount -t tmpfs none $folder; done
echo uml >/proc/sys/kernel/hostname
echo '${ip} uml' >/run/hosts
mount --bind /run/hosts /etc/hosts
mkdir /dev/pts
mount -t devpts none /dev/pts
perl -e '${insert}' ${modulePaths(modules).join(' ')}
ip link set lo up
ip addr add ${ip}/31 dev vec0
ip link set vec0 up
stty raw -echo
echo linked
while read -r number command; do
  printf '\\n#%s begins\\n' $number
  eval "$command" 2>&1
  printf '\\n#%s ends %s\\n' $number $?
done
echo o >/proc/sysrq-trigger
`

/** insmod, which is in no package that is always there. */
const insert = `
my $parameters = "";
for (@ARGV) {
  open my $module, "<", $_ or die "$_: $!";
  syscall(313, fileno $module, $parameters, 0) == 0 or die "$_: $!";
}
`

/** Each behind what it needs. */
function modulePaths(names: readonly string[]): string[] {
  const release = execFileSync('linux.uml', ['--version'], { encoding: 'utf8' }).trim()
  const folder = `/usr/lib/uml/modules/${release}`
  const lines = readFileSync(join(folder, 'modules.dep'), 'utf8').split('\n')
  const paths = names.flatMap((name) => {
    const line = lines.find((line) => line.includes(`/${name}.ko:`))
    if (!line) throw new Error(`User-Mode Linux has no module ${name}.`)
    return line.replace(':', '').trim().split(' ').reverse()
  })
  return [...new Set(paths)].map((path) => join(folder, path))
}
