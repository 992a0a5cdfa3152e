import type { Instant } from '../values/dates.ts';

/**
 * Returns the time for the private note, such as `synced 2025-03-03T15:00:07Z`. The id before it and the time identify
 * one document. A second document of the same source also gets a number, because both may be posted within one second.
 *
 * @param generation number of documents requested for the source, including this one; the first is 1
 */
export const syncedText = (now: Instant, generation: number): string =>
  `synced ${now.replace(/\.\d+Z$/, 'Z')}${generation === 1 ? '' : ` · document ${generation}`}`;
