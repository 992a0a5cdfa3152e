import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { turnAfter, type Before } from './turn.ts';

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Creates a sent chunk. As in a job, its `isClear` refers to the object that holds its own turn. */
function sentChunk(
  leading: readonly Before[],
  isClear = true,
): { readonly chunk: Before; readonly turn: Promise<boolean> } {
  const turn = turnAfter(leading, () => true);
  const chunk = {
    sent: Promise.resolve(),
    isClear: () => turn !== undefined && isClear,
  };
  return { chunk, turn: turn() };
}

/** Sends five chunks in sequence. Returns the last one and weak references to the others. */
async function sendFive(): Promise<{ readonly last: Before | null; readonly earlier: readonly WeakRef<Before>[] }> {
  const earlier: WeakRef<Before>[] = [];
  let last: Before | null = null;
  for (let count = 0; count < 5; count += 1) {
    const leading: readonly Before[] = last === null ? [] : [last];
    const { chunk, turn } = sentChunk(leading);
    await turn;
    earlier.push(...leading.map((one) => new WeakRef(one)));
    last = chunk;
  }
  return { last, earlier };
}

test('releases the memory of earlier chunks', async () => {
  const { last, earlier } = await sendFive();
  // A reference created or read in this turn of the event loop keeps its object alive until the turn ends.
  await new Promise((go) => setImmediate(go));
  collectGarbage();
  expect(earlier.filter((one) => one.deref() !== undefined)).toHaveLength(0);
  expect(earlier).toHaveLength(4);
  expect(last?.isClear()).toBe(true);
});

test('sends documents only after a chunk with certain outcomes and with fresh data', async () => {
  const [clear, doubtful] = [sentChunk([]).chunk, sentChunk([], false).chunk];
  expect(await turnAfter([clear], () => true)()).toBe(true);
  expect(await turnAfter([clear], () => false)()).toBe(false);
  expect(await turnAfter([doubtful], () => true)()).toBe(false);
  expect(await turnAfter([], () => false)()).toBe(true);
});
