/** Something a bench needs is not installed: the bench says so and the run goes on without it. */
export class Missing extends Error {}

export const missing = (what: string, packages: string): Missing =>
  new Missing(`${what} is missing: apt-get install --no-install-recommends ${packages}`)
