import { shortly } from '../door.ts'
import { disturb } from '../faults.ts'
import type { ChaosNas } from '../nas.ts'
import type { Fault } from '../plan.ts'
import type { Fleet, FleetNode } from './fleet.ts'
import type { ServerPair } from './server-pair.ts'

type FleetFaultParts = {
  readonly pair: ServerPair
  readonly fleet: Fleet
  readonly nas: readonly ChaosNas[]
}

/** What is done to nodes, to what is between them and their database, and to that. */
export const fleetFaultsOf =
  ({ pair, fleet, nas }: FleetFaultParts) =>
  async (fault: Fault): Promise<void> => {
    if ('node' in fault) return await doToNode(fault, fleet)
    switch (fault.kind) {
      case 'postgresCrashed':
      case 'postgresFrozen':
        return await fleet.withoutDatabase(async () => {
          if (fault.kind === 'postgresFrozen') pair.freeze()
          else pair.crash()
          await shortly(fault.forMs)
          if (fault.kind === 'postgresFrozen') pair.thaw()
          // On a busy machine its repairs may take longer than was planned.
          else await pair.back()
        })
      case 'promoted':
        return await fleet.withoutDatabase(() => pair.promote(fault.behindMs))
      default:
        return await disturb(fault, nas)
    }
  }

async function doToNode(fault: Fault & { readonly node: number }, fleet: Fleet): Promise<void> {
  const node = fleet.nodes[fault.node]!
  const { life } = node
  switch (fault.kind) {
    case 'nodeKilled':
      return await life.kill(fault.forMs)
    case 'nodeFrozen':
      return await life.freeze(fault.forMs)
    case 'nodeRestarted':
      return await fleet.restart(node)
    case 'nodeClock':
      return life.shiftClock(fault.shiftMs)
    default:
      return await life.withoutDatabase(() => cutOff(node, fault))
  }
}

async function cutOff({ wire }: FleetNode, { kind, forMs }: Fault): Promise<void> {
  if (kind === 'nodeCutOff') {
    wire.cut()
    await shortly(forMs)
    wire.mend()
  } else {
    const end = wire.deafen()
    await shortly(forMs)
    end()
  }
}
