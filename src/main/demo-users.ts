import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hashPassword, verifyPassword } from '#flows/access/passwords.ts';
import type { App } from '#flows/context.ts';
import { codeOf } from '#store/errors.ts';

/** A user of the demo, with the plain-text password, which is printed at startup. */
export interface DemoUser {
  readonly username: string;
  readonly password: string;
  readonly label: string;
}

/** The published password: it must never work for a demo that another machine can reach. */
const knownPassword = 'Demo-Passw0rd!';

const people = [
  { username: 'admin@northwind-msp.example', label: 'Administrator of Northwind' },
  { username: 'sysadmin@tallybridge.example', label: 'System administrator' },
] as const;

/** Usernames of the demo: deployments disable them. */
export const demoUsernames: readonly string[] = people.map(({ username }) => username);

/**
 * Returns the demo users. A demo that other machines can reach has a random password, stored in the data folder; a demo
 * on this machine only has the published one.
 *
 * @param dataDir folder that only the product's user can read.
 * @returns `hasChanged`: the password has changed since the last start.
 */
export async function chooseDemoUsers(
  isExposed: boolean,
  dataDir: string,
): Promise<{ readonly users: readonly [DemoUser, DemoUser]; readonly hasChanged: boolean }> {
  const path = join(dataDir, 'demo-password');
  const stored = await readFile(path, 'utf8').then(
    (text) => text.trim(),
    (error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
      return null;
    },
  );
  const password = isExposed ? (stored ?? `Aa1-${randomBytes(15).toString('base64url')}`) : knownPassword;
  if (isExposed && stored === null) await writeFile(path, `${password}\n`, { mode: 0o600 });
  if (!isExposed && stored !== null) await rm(path);
  const [admin, sysadmin] = people;
  return {
    users: [
      { ...admin, password },
      { ...sysadmin, password },
    ],
    hasChanged: isExposed === (stored === null),
  };
}

/** Sets the current password of the demo users if the kind of demo has changed; ends their sessions. */
export async function renewDemoPasswords({ store, clock }: App, users: readonly DemoUser[]): Promise<void> {
  for (const { username, password } of users) {
    const user = await store.findUser(username);
    if (user !== null && !(await verifyPassword(password, user.passwordHash)))
      await store.setPassword(user.id, await hashPassword(password), clock.now());
  }
}

/** Enables this demo's users again, after a deployment on the same database disabled them. */
export async function enableDemoUsers({ store, clock }: App): Promise<void> {
  for (const username of demoUsernames) await store.setUserActive(username, true, clock.now());
}

/**
 * Disables the users of an earlier demo in the database of a deployment, because their password is public.
 *
 * @returns the usernames that were active until now.
 */
export async function disableDemoUsers({ store, clock }: Pick<App, 'store' | 'clock'>): Promise<readonly string[]> {
  const disabled: string[] = [];
  for (const username of demoUsernames)
    if (await store.setUserActive(username, false, clock.now())) disabled.push(username);
  return disabled;
}
