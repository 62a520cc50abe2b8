import type { Answer } from '../../api/client.ts'

export type NasType = Answer<'GET /admin/dictionary/nas_crud/{id}/'>['nas_type']

/** The names of the types of NAS. The compiler asks for a type that the server has and this list lacks. */
export const nasTypeNames: Readonly<Record<NasType, string>> = {
  mikrotik: 'MikroTik',
  accel: 'accel-ppp',
  cisco: 'Cisco',
  juniper: 'Juniper',
  huawei: 'Huawei',
  generic: 'Generic',
}
