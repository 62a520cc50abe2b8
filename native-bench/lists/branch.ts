import type { RunningProgram } from '../../test/support/program.ts'

const branch = 'branch'
const branchPassword = 'only-some-of-it-all'

/** The session of a staff user who sees one organization, which has a twentieth of the subscribers. */
export async function signInBranch(program: RunningProgram): Promise<string> {
  const user = { username: branch, password: branchPassword, role: 'admin', organizations: [2] }
  // A folder that was kept has the user already; whatever else is wrong is told by the sign-in.
  await program.rest('POST', '/admin/dictionary/staff_crud/', user)
  const query = new URLSearchParams({ api: '1', username: branch, password: branchPassword, format: 'json' })
  const { hash } = (await (await fetch(`${program.address.http}/admin/?${query}`)).json()) as { hash?: string }
  if (hash === undefined) throw new Error(`${branch} cannot sign in.`)
  return hash
}
