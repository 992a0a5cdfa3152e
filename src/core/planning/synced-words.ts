import type { Instant } from '../values/dates.ts';

/**
 * The moment in the private note, e.g. `synced 2025-03-03T15:00:07Z`. Together with the id before it the note names one
 * document and no other: a second one of the same source says that it is, since both may be made within one second.
 *
 * @param generation counts the documents that were asked for of one source; the first is 1
 */
export const syncedWords = (now: Instant, generation: number): string =>
  `synced ${now.replace(/\.\d+Z$/, 'Z')}${generation === 1 ? '' : ` · document ${generation}`}`;
