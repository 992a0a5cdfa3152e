import { expect, test } from 'vitest';
import { addSeconds, instant } from '#core/values/dates.ts';
import { settle } from './settle.ts';

const now = instant('2025-03-03T15:00:00Z');
type Message = Parameters<typeof settle>[1];
const message = (of: Partial<Message> = {}): Message => ({
  id: 'm1',
  kind: 'chat',
  tries: 1,
  mayHaveArrived: false,
  ...of,
});
const failure = { mayHaveArrived: false, isFinal: false, waitMs: 0 };

/** Returns what happens to a message: `ended`, or the seconds until the next attempt. */
async function after(of: Partial<Message>, result: Parameters<typeof settle>[2]): Promise<string> {
  let found = '';
  const store = {
    endMessage: () => Promise.resolve(void (found = 'ended')),
    retryMessage: (_id: string, at: string, mayHaveArrived: boolean) =>
      Promise.resolve(void (found = `${at} ${mayHaveArrived}`)),
  };
  type Parts = Parameters<typeof settle>[0];
  const isLast = await settle({ store, clock: { now: () => now } } as unknown as Parts, message(of), result);
  expect(isLast).toBe(found === 'ended');
  return found;
}
const inSeconds = (seconds: number, mayHaveArrived = false) => `${addSeconds(now, seconds)} ${mayHaveArrived}`;

test.each<[string, Partial<Message>, Parameters<typeof settle>[2], string]>([
  ['ends after it was sent', {}, null, 'ended'],
  ['is retried after a minute', {}, failure, inSeconds(60)],
  ['is retried after a doubled pause', { tries: 3 }, failure, inSeconds(240)],
  ['is retried after at most an hour', { kind: 'mail', tries: 27 }, failure, inSeconds(3_600)],
  ['waits as long as the receiver asks', {}, { ...failure, waitMs: 90_500 }, inSeconds(91)],
  ['ends when another attempt cannot succeed', {}, { ...failure, isFinal: true }, 'ended'],
  ['of a chat ends after 8 attempts', { tries: 8 }, failure, 'ended'],
  ['of the mail server ends after 28 attempts', { kind: 'mail', tries: 28 }, failure, 'ended'],
  ['that may have arrived is repeated', {}, { ...failure, mayHaveArrived: true }, inSeconds(60, true)],
  ['that may have arrived twice ends', { mayHaveArrived: true }, { ...failure, mayHaveArrived: true }, 'ended'],
  ['that was rejected when it was repeated is retried', { mayHaveArrived: true }, failure, inSeconds(60)],
])('a message %s', async (_what, of, result, expected) => {
  expect(await after(of, result)).toBe(expected);
});
