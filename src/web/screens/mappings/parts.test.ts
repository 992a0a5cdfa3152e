import { describe, expect, test } from 'vitest';
import { progressText, refusedAfter, sendInParts, type Progress } from './parts.ts';

const wanted = (count: number, target: string | null = '1') =>
  Array.from({ length: count }, (_, n) => ({ n, target_value: target }));

async function sent(all: ReturnType<typeof wanted>, refusedPart?: number) {
  const parts: number[][] = [];
  const progress: Progress[] = [];
  const message = await sendInParts(
    all,
    async (part) => {
      if (parts.length === refusedPart) throw new Error('No.');
      parts.push(part.map(({ n }) => n));
      return `${part.length} of the server.`;
    },
    (now) => progress.push(now),
  ).catch((error: Error) => error);
  return { parts, progress, message };
}

describe('saving a selection', () => {
  test("sends up to a thousand at once and shows the server's message", async () => {
    const { parts, progress, message } = await sent(wanted(1_000));
    expect([parts.length, progress, message]).toEqual([1, [], '1000 of the server.']);
  });

  test('sends larger selections in parts with progress', async () => {
    const { parts, progress, message } = await sent([...wanted(2_000), ...wanted(500, null)]);
    expect(parts.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
    expect(parts.flat()).toEqual([...wanted(2_000), ...wanted(500)].map(({ n }) => n));
    expect(progress.map(progressText)).toEqual([
      'Saved 1,000 of 2,500…',
      'Saved 2,000 of 2,500…',
      'Saved 2,500 of 2,500…',
    ]);
    expect(message).toBe('2,000 mappings saved, 500 deleted.');
    expect((await sent(wanted(1_001, null))).message).toBe('1,001 mappings deleted.');
  });

  test('stops at a rejected part and reports it', async () => {
    const { parts, progress, message } = await sent(wanted(2_500), 1);
    expect([parts.length, progress.at(-1), message]).toEqual([1, { done: 1_000, total: 2_500 }, new Error('No.')]);
    expect(refusedAfter({ done: 0, total: 2_500 }, 'No.')).toBe('No.');
    expect(refusedAfter({ done: 1_000, total: 2_500 }, 'No. Nothing was saved.')).toBe(
      'Saved the first 1,000 of 2,500. The next part was refused: No. Nothing was saved. The rest was not sent.',
    );
    expect(refusedAfter({ done: 2_000, total: 2_500 }, 'No.')).toBe(
      'Saved the first 2,000 of 2,500. The other 500 were rejected: No.',
    );
  });
});
