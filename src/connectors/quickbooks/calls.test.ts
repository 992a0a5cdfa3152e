import { RefreshUnderWay } from '#core/records/connections.ts';
import type { AccountingCredentials } from '#core/tenant.ts';
import { addSeconds, instant } from '#core/values/dates.ts';
import { describe, expect, test } from 'vitest';
import { accessTo, sessionTokens, type Tokens } from './calls.ts';

const now = instant(Date.parse('2025-03-03T15:16:00.000Z'));
const tokensOf = (realmId: string): AccountingCredentials => ({
  realmId,
  accessToken: 'access',
  accessTokenEndsAt: addSeconds(now, 60),
  refreshToken: 'refresh',
  refreshTokenEndsAt: addSeconds(now, 86_400),
});
const access = (refresh: Tokens['refresh']) =>
  accessTo('1', { current: async () => tokensOf('1'), refresh }, () => now);

test('retries a call that cannot wait for a token refresh, because it was not sent', async () => {
  const busy = access(() => Promise.reject(new RefreshUnderWay()));
  await expect(busy.current('read')).rejects.toMatchObject({
    about: { next: 'try_again', outcome: 'not_applied', operation: 'read' },
  });
});

test('never sends a call with the tokens of another company that was connected meanwhile', async () => {
  const other = access(async () => tokensOf('2'));
  await expect(other.current('read')).rejects.toMatchObject({ about: { next: 'stop_run', outcome: 'not_applied' } });
  await expect(other.renew('read', tokensOf('1'))).rejects.toMatchObject({ about: { next: 'stop_run' } });
});

describe('a session', () => {
  /** The stored tokens, which other processes and users change, and the session's calls. */
  function session(endsInSeconds = 3_600) {
    const first = { ...tokensOf('1'), accessTokenEndsAt: addSeconds(now, endsInSeconds) };
    const seen = { stored: first as AccountingCredentials | null, at: now, reads: 0, refreshes: 0, changes: 0 };
    const stored: Tokens = {
      current: async () => ((seen.reads += 1), seen.stored),
      async refresh(used) {
        if (seen.stored?.accessToken === used.accessToken) {
          seen.refreshes += 1;
          seen.stored = {
            ...seen.stored,
            accessToken: `${used.accessToken}+`,
            accessTokenEndsAt: addSeconds(seen.at, 3_600),
            refreshToken: `refresh ${seen.refreshes}`,
          };
        }
        return seen.stored;
      },
    };
    const calls = accessTo(
      '1',
      sessionTokens(stored, first, { now: () => seen.at, changes: () => seen.changes }),
      () => seen.at,
    );
    const token = async () => (await calls.current('post')).accessToken;
    /** QuickBooks refuses the sign-in of a call. */
    const refused = async () => (await calls.renew('post', await calls.current('post'))).accessToken;
    return { seen, first, token, refused };
  }

  test('reads its tokens once, and every ten seconds', async () => {
    const { seen, token } = session();
    for (let call = 0; call < 20; call += 1) await token();
    expect(seen.reads).toBe(0);
    seen.at = addSeconds(now, 9);
    await token();
    expect(seen.reads).toBe(0);
    for (seen.at = addSeconds(now, 10); seen.reads === 0;) await token();
    await token();
    expect(seen.reads).toBe(1);
  });

  test('refreshes tokens that are about to end, once, and uses the new ones', async () => {
    const { seen, token } = session(301);
    expect(await token()).toBe('access');
    seen.at = addSeconds(now, 2);
    expect([await token(), await token()]).toEqual(['access+', 'access+']);
    expect(seen).toMatchObject({ refreshes: 1, reads: 0 });
  });

  test('uses the tokens of another process that refreshed them, after its own were refused', async () => {
    const { seen, first, token, refused } = session();
    seen.stored = { ...first, accessToken: 'of another', refreshToken: 'rotated' };
    expect(await token()).toBe('access');
    expect(await refused()).toBe('of another');
    expect(await token()).toBe('of another');
    expect(seen.refreshes).toBe(0);
  });

  test.each([
    ['disconnected', () => null, 'QuickBooks was disconnected.'],
    ['connected to another company', () => tokensOf('2'), 'QuickBooks was connected to another company.'],
  ])('sends nothing more once QuickBooks was %s', async (_, change, detail) => {
    const ended = { about: { next: 'stop_run', outcome: 'not_applied', detail } };
    const announced = session();
    announced.seen.stored = change();
    announced.seen.changes = 1;
    await expect(announced.token()).rejects.toMatchObject(ended);
    // The announcement was lost.
    const refused = session();
    refused.seen.stored = change();
    await expect(refused.refused()).rejects.toMatchObject(ended);
    await expect(refused.token()).rejects.toMatchObject(ended);
    const late = session();
    late.seen.stored = change();
    late.seen.at = addSeconds(now, 10);
    await expect(late.token()).rejects.toMatchObject(ended);
  });

  test('continues with the tokens of a new consent to the same company', async () => {
    const { seen, first, token, refused } = session();
    seen.stored = null;
    await expect(refused()).rejects.toThrow();
    seen.stored = { ...first, accessToken: 'of the new consent' };
    seen.changes = 1;
    expect(await token()).toBe('of the new consent');
  });
});
