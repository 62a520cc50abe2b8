import { between, chance, diceOf, type Fault, ofNetwork, type Plan, spread } from '../plan.ts'
import type { Replication } from './server-pair.ts'

export type FleetPlan = Plan & { readonly nodes: number; readonly replication: Replication }

const kinds = [
  'nodeKilled',
  'nasMoved',
  'nodeFrozen',
  'nodeClock',
  'nodeCutOff',
  'postgresCrashed',
  'nasMoved',
  'nodeDeafened',
  'nodeRestarted',
  'network',
  'promoted',
  'nasRebooted',
  'postgresFrozen',
  'nasSilent',
] as const satisfies readonly Fault['kind'][]

/** A clock that nobody sets, and one that was set to another zone. */
const shiftsMs = [30_000, 3 * 3_600_000]
/** Of the load: a node may stand still for so long, and for a minute at most. */
const frozenShare = 0.45
const frozenMaxMs = 60_000
/** A clock goes right and wrong in turn. */
const rightClockPercent = 30

/** Pure, as `planOf`: the same arguments give the same plan. Whether the standby is synchronous is of the seed too. */
export function fleetPlanOf(seed: number, loadMs: number, nasCount: number, nodes: number): FleetPlan {
  const dice = diceOf(seed, 'fleet')
  const replication = chance(dice, 50) ? 'synchronous' : 'asynchronous'
  const faults = spread({
    dice,
    loadMs,
    kinds,
    mean: (kind: (typeof kinds)[number]) => ({ kind, nas: dice.below(nasCount), node: dice.below(nodes) }),
    longestMs: ({ kind }) => (kind === 'nodeFrozen' ? Math.min(frozenMaxMs, loadMs * frozenShare) : undefined),
    make: ({ kind, nas, node }, when): Fault => {
      switch (kind) {
        case 'nodeClock': {
          const shiftMs = chance(dice, rightClockPercent) ? 0 : dice.pick(shiftsMs) * dice.pick([1, -1])
          return { kind, node, shiftMs, ...when, forMs: 0 }
        }
        case 'nasMoved':
          return { kind, nas, to: dice.below(nodes), ...when, forMs: 0 }
        case 'promoted':
          return { kind, behindMs: between(dice, 200, 1_500), ...when, forMs: 0 }
        case 'postgresCrashed':
        case 'postgresFrozen':
          return { kind, ...when }
        default:
          return ofNetwork(dice, kind, nas, when) ?? ({ kind, node, ...when } as Fault)
      }
    },
  })
  return { seed, loadMs, firstShiftMs: 0, faults, settledAtMs: loadMs, deafNas: [], nodes, replication }
}
