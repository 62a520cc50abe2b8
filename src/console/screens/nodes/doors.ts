import type { Answer } from '../../api/client.ts'

export const nodesDoor = 'GET /admin/nodes/'
export const drainDoor = 'POST /admin/nodes/{name}/drain/'

export type Node = Answer<typeof nodesDoor>['nodes'][number]
