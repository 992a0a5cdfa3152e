import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { jwtVerify, SignJWT } from 'jose';
import type { PsaCredentials } from '#core/tenant.ts';
import { mailLane } from '#core/records/outbox.ts';
import { instant } from '#core/values/dates.ts';
import { sessionKeys } from '#api/session-keys.ts';
import { newDatabase } from '#test/support/database.ts';
import { silentLogger } from '#test/support/logger.ts';
import { readConfig } from './config.ts';
import { openStore } from './open-store.ts';

const oldKey = 'Yq3uT8wZ1sVb6nKe0pLr5xJc2hGd9mFa';
const newKey = 'cR7vN2kXw4Jd9sQz1bTf6mHy8gLp3aEu';

const now = () => instant(Date.now());

/** A process with these keys: its store, and the keys of its sessions. */
async function startProcess(url: string, secretKey: string) {
  const ends: (() => Promise<unknown>)[] = [];
  const config = readConfig({ DEMO: 'true', DATABASE_URL: url, SECRET_KEY: secretKey });
  const { store } = await openStore(config, tmpdir(), silentLogger, ends);
  const [signing] = sessionKeys(secretKey);
  return {
    store,
    session: () => new SignJWT({}).setProtectedHeader({ alg: 'HS256', kid: signing.id }).sign(signing.secret),
    accepts: (token: string) =>
      jwtVerify(token, ({ kid }) => sessionKeys(secretKey).find(({ id }) => id === kid)?.secret ?? new Uint8Array(32)),
    async stop() {
      for (const end of ends.toReversed()) await end();
    },
  };
}
type Process = Awaited<ReturnType<typeof startProcess>>;

test('SECRET_KEY is rotated in three rolling restarts: each process reads what the other writes', async () => {
  const db = await newDatabase();
  const known = new Map<string, PsaCredentials>();
  let mails = 0;
  const writes = async ({ store }: Process) => {
    const { id } = await store.addTenant({ name: randomUUID(), status: 'active', timeZone: 'UTC' });
    const credentials = { userName: id, secret: randomUUID() };
    const connection = { service: 'psa', status: 'active', name: 'Company', user: id, externalId: id } as const;
    await store.forTenant(id).saveConnection({ ...connection, connectedAt: now(), problem: null }, credentials);
    const mail = await store.saveMail({ to: id, subject: '', text: '', html: '' }, now());
    await store.retryMessage(mail.id, now(), false);
    known.set(id, credentials);
    mails += 1;
  };
  const reads = async ({ store }: Process) => {
    for (const [id, credentials] of known) {
      expect(await store.forTenant(id).readPsaCredentials()).toEqual(credentials);
      expect(await store.findConnected('psa', id)).toEqual([id]);
    }
  };
  let processes: readonly [Process, Process] = [await startProcess(db.url, oldKey), await startProcess(db.url, oldKey)];
  try {
    for (const keys of [`${oldKey},${newKey}`, `${newKey},${oldKey}`, newKey])
      for (const index of [0, 1] as const) {
        for (const one of processes) await writes(one);
        const [first, second] = processes;
        const restarted = await startProcess(db.url, keys);
        await processes[index].stop();
        processes = index === 0 ? [restarted, second] : [first, restarted];
        for (const one of processes) await writes(one);
        for (const one of processes) await reads(one);
        await processes[0].accepts(await processes[1].session());
        await processes[1].accepts(await processes[0].session());
      }
    for (; (await processes[0].store.takeMessage(mailLane, now())) !== null; mails -= 1);
    expect(mails).toBe(0);
  } finally {
    for (const one of processes) await one.stop();
    await db.close();
  }
}, 120_000);
