import type { DatabaseTime } from '../support/database-time.ts'
import type { OwnServer } from '../support/own-server.ts'
import type { SpoolDisk } from './disk.ts'
import { shortly } from './door.ts'
import type { Life } from './life.ts'
import type { ChaosNas } from './nas.ts'
import { type Fault, type Plan, resourceOf } from './plan.ts'

/** A fault as it was done. Milliseconds of the run; `toMs` is when all of it was repaired. */
export type DoneFault = { readonly fault: Fault; readonly fromMs: number; readonly toMs: number }

type FaultParts = {
  readonly postgres: OwnServer
  readonly time: DatabaseTime
  readonly life: Life
  readonly nas: readonly ChaosNas[]
  readonly disk: SpoolDisk
}

/** Between two faults of one resource, however long the first has taken. */
const breathMs = 1_200

/** Does every fault of a plan at its time, by `doFault`. Resolves when the last one is over. */
export async function doFaults(
  { faults, loadMs, settledAtMs }: Plan,
  nowMs: () => number,
  doFault: (fault: Fault) => Promise<void> | void,
): Promise<DoneFault[]> {
  const busy = new Map<string, Promise<unknown>>()
  const all = await Promise.all(
    faults.map(async (fault) => {
      await shortly(Math.max(0, fault.atMs - nowMs()))
      const resource = resourceOf(fault)
      // One that takes longer than was planned holds up the next of its kind; on a slow machine the last ones are left
      // out.
      const done = (busy.get(resource) ?? Promise.resolve()).then(async () => {
        const fromMs = nowMs()
        if (fromMs > (fault.kind === 'killed' ? settledAtMs : loadMs)) return null
        await doFault(fault)
        return { fault, fromMs, toMs: nowMs() }
      })
      const over = done.then(() => shortly(breathMs))
      // The one that has failed is told of by `done`.
      over.catch(() => {})
      busy.set(resource, over)
      return done
    }),
  )
  return all.filter((one) => one !== null)
}

/** What is done to one program, its database, its disk and its NAS. */
export const faultsOf =
  (parts: FaultParts) =>
  async (fault: Fault): Promise<void> => {
    const { life, nas, time } = parts
    switch (fault.kind) {
      case 'postgresStopped':
      case 'postgresFrozen':
      case 'postgresCrashed': {
        const { kind } = fault
        return life.withoutDatabase(() => database(kind, fault.forMs, parts))
      }
      case 'diskFull':
        return life.withoutDatabase(() => fullDisk(fault.forMs, parts))
      case 'killed':
        return life.kill(fault.forMs)
      case 'clock':
        return setClock(time, fault.shiftMs)
      default:
        return disturb(fault, nas)
    }
  }

/** While the database is away its clock cannot be set. */
async function setClock(time: DatabaseTime, aheadMs: number): Promise<void> {
  while (
    !(await time.set(aheadMs).then(
      () => true,
      () => false,
    ))
  )
    await shortly(100)
}

/** What is done to a NAS and the way to it. */
export async function disturb(fault: Fault, nas: readonly ChaosNas[]): Promise<void> {
  switch (fault.kind) {
    case 'nasRebooted':
      return nas[fault.nas]!.reboot(fault.forMs)
    case 'nasMoved':
      return nas[fault.nas]!.moveTo(fault.to)
    case 'nasSilent':
    case 'network': {
      const { weather } = nas[fault.nas]!
      if (nas[fault.nas]!.isBooting) return
      if (fault.kind === 'network') Object.assign(weather, { lost: fault.lost, doubled: fault.doubled })
      else weather.silent = true
      await shortly(fault.forMs)
      Object.assign(weather, { silent: false, lost: 0, doubled: 0 })
      return
    }
    default:
      throw new Error(`Nobody does the fault ${fault.kind}.`)
  }
}

async function database(
  kind: 'postgresStopped' | 'postgresFrozen' | 'postgresCrashed',
  forMs: number,
  { postgres }: FaultParts,
): Promise<void> {
  if (kind === 'postgresStopped') await postgres.stop()
  else if (kind === 'postgresFrozen') postgres.freeze()
  else postgres.crash()
  await shortly(forMs)
  if (kind === 'postgresStopped') await postgres.start()
  else if (kind === 'postgresFrozen') postgres.thaw()
}

/**
 * The spool is written only while the database is away, so that goes too, and comes back before there is room again.
 */
async function fullDisk(forMs: number, { postgres, life, disk }: FaultParts): Promise<void> {
  life.onStart = (pid) => void disk.fill(pid)
  await disk.fill(life.program.pid)
  await postgres.stop()
  await shortly(forMs * 0.7)
  await postgres.start()
  await shortly(forMs * 0.3)
  life.onStart = () => {}
  await disk.empty(life.program.pid)
}
