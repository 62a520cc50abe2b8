import { X509Certificate } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { receiveBufferBytes } from '../../network/radius/udp/udp-port.ts'
import type { Config } from '../config.ts'
import { type Check, daysSince, fail, ok, warn } from './check.ts'
import { type Figures, fileLimitOf } from './running.ts'

/** What the operating system gives the program. Changes nothing but for a small file that it writes and removes. */
export async function checkMachine(config: Config, figures: Figures | null, now: Date): Promise<Check[]> {
  return [
    ...(await checkPorts(config, figures !== null)),
    checkFileLimit(figures),
    ...receiveBuffer(),
    ...(await checkDisk(config.dataDir)),
    ...checkKey(config),
    ...checkCertificate(config, now),
    ...checkProxy(config),
  ]
}

type Port = {
  readonly what: string
  readonly host: string
  readonly port: number
  readonly isUdp: boolean
  readonly variable: string
}

async function checkPorts({ http, radius, metrics }: Config, isRunning: boolean): Promise<Check[]> {
  const ports: Port[] = [
    { what: 'HTTP', ...http, isUdp: false, variable: 'TOLLGATE_HTTP_PORT' },
    {
      what: 'RADIUS sign-ins',
      host: radius.host,
      port: radius.authPort,
      isUdp: true,
      variable: 'TOLLGATE_RADIUS_AUTH_PORT',
    },
    {
      what: 'RADIUS accounting',
      host: radius.host,
      port: radius.acctPort,
      isUdp: true,
      variable: 'TOLLGATE_RADIUS_ACCT_PORT',
    },
    { what: 'Prometheus', ...metrics, isUdp: false, variable: 'TOLLGATE_METRICS_PORT' },
  ]
  const checks: Check[] = []
  for (const port of ports) checks.push(portCheck(port, await faultOfPort(port), isRunning))
  return checks
}

export function portCheck(
  { what, host, port, isUdp, variable }: Port,
  fault: string | null,
  isRunning: boolean,
): Check {
  const name = `port of ${what}`
  // TOLLGATE_HTTP_PORT goes with TOLLGATE_HTTP_HOST, and both ports of RADIUS go with TOLLGATE_RADIUS_HOST.
  const hostVariable = variable.replace(/(_AUTH|_ACCT)?_PORT$/, '_HOST')
  const where = `${isUdp ? 'UDP' : 'TCP'} ${host}:${port}`
  if (port === 0)
    return ok(
      name,
      `${variable} is 0: a free port is taken at each start.`,
      `${variable} — 0: при каждом запуске берётся свободный порт.`,
    )
  if (fault === null)
    return isRunning
      ? warn(
          name,
          `Nobody listens on ${where}. Is it the port of another configuration?`,
          `На ${where} никто не отвечает. Может, это порт из других настроек?`,
        )
      : ok(name, `${where} is free.`, `${where} свободен.`)
  if (fault === 'EADDRINUSE')
    return isRunning
      ? ok(
          name,
          `${where} is taken, as it is while Tollgate runs.`,
          `${where} занят, как и должно быть, пока Tollgate работает.`,
        )
      : fail(
          name,
          `${where} is taken by another program (\`ss -${isUdp ? 'lunp' : 'ltnp'}\` shows which). Stop it, or set ${variable}.`,
          `${where} занят другой программой (какой — покажет \`ss -${isUdp ? 'lunp' : 'ltnp'}\`). Остановите её или задайте ${variable}.`,
        )
  if (fault === 'EACCES') return unprivileged(name, where, variable, isRunning)
  if (fault === 'EADDRNOTAVAIL')
    return fail(
      name,
      `This machine does not have the address ${host}. \`ip address\` shows those it has: set ${hostVariable}.`,
      `Адреса ${host} у этой машины нет. Какие есть, показывает \`ip address\`: задайте ${hostVariable}.`,
    )
  return fail(
    name,
    `${where} cannot be listened on (${fault}). Set ${hostVariable} or ${variable}.`,
    `Не удаётся слушать ${where} (${fault}). Задайте ${hostVariable} или ${variable}.`,
  )
}

/** The service has a right to ports below 1024 that the user of this command need not have. */
const unprivileged = (name: string, where: string, variable: string, isRunning: boolean): Check =>
  isRunning
    ? ok(
        name,
        `${where} was not tried, because this user may not listen below port 1024; Tollgate runs.`,
        `${where} не проверен: порты ниже 1024 этому пользователю не даются; Tollgate работает.`,
      )
    : warn(
        name,
        `${where} was not tried, because this user may not listen below port 1024. The service needs CAP_NET_BIND_SERVICE, which that of the Debian package has. Otherwise set ${variable}.`,
        `${where} не проверен: порты ниже 1024 этому пользователю не даются. Службе нужно право CAP_NET_BIND_SERVICE, у службы из пакета Debian оно есть. Иначе задайте ${variable}.`,
      )

/** Tries to listen at a port. Returns the code of the fault; null: the port is free. */
async function faultOfPort({ host, port, isUdp }: Port): Promise<string | null> {
  if (port === 0) return null
  try {
    if (isUdp) {
      const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4').bind({ address: host, port, exclusive: true })
      await once(socket, 'listening')
      socket.close()
    } else {
      const server = createServer().listen({ host, port, exclusive: true })
      await once(server, 'listening')
      server.close()
    }
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

/** Each phone on which the application is open takes one of them, and so does every connection of a browser. */
const filesWanted = 65_536

/** Looks at the limit of the running program, because a service has other limits than the shell of this command. */
function checkFileLimit(figures: Figures | null): Check {
  const name = 'open files'
  const limits = readOr('/proc/self/limits', '')
  const own = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.NaN)
  const most = figures ? fileLimitOf(figures) : own
  if (Number.isNaN(most))
    return ok(
      name,
      'This system does not tell how many files may be open.',
      'Сколько файлов можно открыть, эта система не говорит.',
    )
  return most >= filesWanted
    ? ok(name, `Up to ${most} files and connections may be open.`, `Можно открыть файлов и соединений: ${most}.`)
    : warn(
        name,
        `Only ${most} files and connections may be open here, and each telephone keeps one. The service wants LimitNOFILE=${filesWanted}.`,
        `Открыть можно лишь ${most} файлов и соединений, а каждый телефон держит одно. Службе нужно LimitNOFILE=${filesWanted}.`,
      )
}

function receiveBuffer(): Check[] {
  const name = 'UDP receive buffer'
  const most = Number(readOr('/proc/sys/net/core/rmem_max', ''))
  if (!(most > 0)) return []
  return [
    most >= receiveBufferBytes
      ? ok(
          name,
          `The kernel lets a socket keep ${receiveBufferBytes} bytes of packets.`,
          `Приёмный буфер сокета: ${receiveBufferBytes} байт.`,
        )
      : warn(
          name,
          `The kernel lets a socket keep ${most} bytes of packets, so bursts of RADIUS may be lost. Set net.core.rmem_max = ${receiveBufferBytes} in /etc/sysctl.d and load it by \`sysctl --system\`.`,
          `Ядро ограничивает приёмный буфер сокета: ${most} байт, и при наплыве запросов RADIUS часть потеряется. Задайте net.core.rmem_max = ${receiveBufferBytes} в /etc/sysctl.d и примените: \`sysctl --system\`.`,
        ),
  ]
}

const gibibyte = 2 ** 30
const freeWarned = 2 * gibibyte
const freeFailed = gibibyte / 4
const syncs = 25
/** Each payment waits for one of them. */
const syncMsWarned = 10

/** Of the folder with the data. */
export async function checkDisk(folder: string): Promise<Check[]> {
  try {
    const { bavail, bsize, blocks } = statfsSync(folder)
    const free = bavail * bsize
    const words = `${(free / gibibyte).toFixed(1)} GiB of ${((blocks * bsize) / gibibyte).toFixed(1)} are free where ${folder} is`
    const said = `На диске с ${folder} свободно ${(free / gibibyte).toFixed(1)} из ${((blocks * bsize) / gibibyte).toFixed(1)} ГиБ`
    const space =
      free < freeFailed
        ? fail(
            'disk space',
            `Only ${words}. Accounting and payments stop when it is full: make room now.`,
            `${said}. Когда место кончится, встанут учёт и платежи: освободите сейчас.`,
          )
        : free < freeWarned
          ? warn(
              'disk space',
              `Only ${words}. Make room, or move the data folder.`,
              `${said}. Освободите место или перенесите папку данных.`,
            )
          : ok('disk space', `${words}.`, `${said}.`)
    return [space, await syncSpeed(folder)]
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT')
      return [
        ok(
          'data folder',
          `${folder} is not there yet; the first start makes it.`,
          `Папки ${folder} ещё нет; её создаст первый запуск.`,
        ),
      ]
    return [
      fail(
        'data folder',
        `${folder} cannot be used (${code ?? String(error)}). Give it to the user that Tollgate runs as.`,
        `Папкой ${folder} нельзя пользоваться (${code ?? String(error)}). Отдайте её пользователю, от которого работает Tollgate.`,
      ),
    ]
  }
}

/**
 * Measures what a commit waits for: a page is written and flushed. Nobody else waits for the disk meanwhile: a running
 * program looks at it from time to time.
 */
async function syncSpeed(folder: string): Promise<Check> {
  const own = mkdtempSync(join(folder, '.doctor-'))
  const file = await open(join(own, 'page'), 'w', 0o600)
  try {
    const page = Buffer.alloc(8192)
    const times: number[] = []
    while (times.length < syncs) {
      const begun = performance.now()
      await file.write(page, 0, page.length, 0)
      await file.datasync()
      times.push(performance.now() - begun)
    }
    const middle = times.sort((a, b) => a - b)[syncs >> 1]!
    const words = `The disk under ${folder} needs ${middle.toFixed(1)} ms to make a write safe`
    const said = `Диску под ${folder} нужно ${middle.toFixed(1)} мс, чтобы запись стала надёжной`
    return middle > syncMsWarned
      ? warn(
          'disk speed',
          `${words}, and every payment waits for one. A drive with power-loss protection needs a tenth of a millisecond.`,
          `${said}, и этого ждёт каждый платёж. Диску с защитой от потери питания нужна десятая доля миллисекунды.`,
        )
      : ok('disk speed', `${words}.`, `${said}.`)
  } finally {
    await file.close()
    rmSync(own, { recursive: true })
  }
}

function checkKey({ dataDir, secretKey }: Config): Check[] {
  const name = 'secret key'
  if (secretKey !== null)
    return [
      ok(
        name,
        'The key that seals stored secrets comes from TOLLGATE_SECRET_KEY. Keep a copy of it away from this machine.',
        'Ключ, которым закрыты секреты, берётся из TOLLGATE_SECRET_KEY. Храните его копию не на этой машине.',
      ),
    ]
  const file = join(dataDir, 'secret.key')
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) return []
  return [
    (found.mode & 0o077) === 0
      ? ok(
          name,
          `The key that seals stored secrets is in ${file}. Keep a copy of it away from this machine.`,
          `Ключ, которым закрыты секреты, — в ${file}. Храните его копию не на этой машине.`,
        )
      : warn(
          name,
          `Others of this machine may read ${file}, which opens every stored password. \`chmod 600\` it.`,
          `Файл ${file}, который открывает все пароли, могут читать другие на этой машине. Сделайте \`chmod 600\`.`,
        ),
  ]
}

const certificateDaysWarned = 14

function checkCertificate({ http: { tls } }: Config, now: Date): Check[] {
  if (!tls) return []
  const name = 'certificate'
  try {
    const { validTo, validFrom } = new X509Certificate(readFileSync(tls.certFile))
    const days = -daysSince(new Date(validTo), now) - 1
    if (now > new Date(validTo))
      return [
        fail(
          name,
          `${tls.certFile} was valid until ${validTo}. Renew it and restart.`,
          `${tls.certFile} действовал до ${validTo}. Обновите его и перезапустите.`,
        ),
      ]
    if (now < new Date(validFrom))
      return [
        fail(
          name,
          `${tls.certFile} is valid from ${validFrom} on. Is the clock right?`,
          `${tls.certFile} действует с ${validFrom}. Верны ли часы?`,
        ),
      ]
    return [
      days < certificateDaysWarned
        ? warn(
            name,
            `${tls.certFile} is valid for ${days} more days, until ${validTo}. Renew it and restart.`,
            `${tls.certFile} действует ещё дней: ${days}, до ${validTo}. Обновите его и перезапустите.`,
          )
        : ok(name, `${tls.certFile} is valid for ${days} more days.`, `${tls.certFile} действует ещё дней: ${days}.`),
    ]
  } catch (error) {
    const { message } = error as Error
    return [
      fail(
        name,
        `${tls.certFile} cannot be read as a certificate (${message}).`,
        `${tls.certFile} не читается как сертификат (${message}).`,
      ),
    ]
  }
}

function checkProxy({ http: { publicUrl, tls, trustProxy } }: Config): Check[] {
  if (!publicUrl?.startsWith('https:') || tls || trustProxy.length > 0) return []
  return [
    warn(
      'proxy',
      `TOLLGATE_PUBLIC_URL is ${publicUrl}, so a proxy in front does TLS, and TOLLGATE_TRUST_PROXY does not name it: all clients seem to come from its address, and one who guesses passwords locks out everybody. Set it to the address of the proxy.`,
      `TOLLGATE_PUBLIC_URL — ${publicUrl}, значит, TLS делает прокси впереди, а TOLLGATE_TRUST_PROXY его не называет: все клиенты приходят будто с его адреса, и кто подбирает пароли, запирает всех. Задайте там адрес прокси.`,
    ),
  ]
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return otherwise
  }
}
