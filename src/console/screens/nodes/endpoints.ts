import type { Answer } from '../../api/client.ts'

export const nodesEndpoint = 'GET /admin/nodes/'
export const drainEndpoint = 'POST /admin/nodes/{name}/drain/'

export type Node = Answer<typeof nodesEndpoint>['nodes'][number]
