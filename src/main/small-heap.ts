import { setFlagsFromString } from 'node:v8';

/** Percentage by which the heap may grow above its live objects before garbage collection. */
const growingPercent = 50;

/**
 * Keeps the heap close to the size of its live objects, for the rest of this process. The objects of each document in a
 * large job live for only seconds. By default Node lets the heap grow to three times its live size before collection,
 * and keeps that size. The space for new objects stays at its initial size; by default it doubles up to 64 MB and stays
 * there. Call this before large allocations.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString(`--heap-growing-percent=${growingPercent}`);
}
