import { setFlagsFromString } from 'node:v8';

/** Growth of the heap above what is alive, in percent, until what is not needed any more is looked for. */
const growingPercent = 50;

/**
 * Keeps the heap near to what is alive in it, for the rest of this process. What a document of a large job is made of lives
 * for seconds, and is dead once the next ones are under way; Node would let the heap grow to three times what is alive
 * before it looks, and keep what it grew to. The space for new objects stays as small as it begins: it doubles again and
 * again otherwise, up to 64 MB that stay as well. To be called before anything large is made.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString(`--heap-growing-percent=${growingPercent}`);
}
