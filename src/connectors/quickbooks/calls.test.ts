import { RefreshUnderWay } from '#core/records/connections.ts';
import type { AccountingCredentials } from '#core/tenant.ts';
import { addSeconds, instant } from '#core/values/dates.ts';
import { expect, test } from 'vitest';
import { accessTo, type Tokens } from './calls.ts';

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
