import { formatCount } from '../../lib/format.ts';

/** Mappings in one call (contract): more than that are saved in parts, each of them whole or not at all. */
export const mostPerCall = 1_000;

/** How far a selection that is saved in parts has come. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

/**
 * Sends all of them, a part after the other; what a part throws ends it.
 *
 * @param onPart is told after each part of several how many are saved.
 * @returns the message of the only part, or how many there were.
 */
export async function sendInParts<Wanted extends { readonly target_value: string | null }>(
  all: readonly Wanted[],
  send: (part: readonly Wanted[]) => Promise<string>,
  onPart: (progress: Progress) => void,
): Promise<string> {
  const total = all.length;
  if (total <= mostPerCall) return send(all);
  for (let start = 0; start < total; start += mostPerCall) {
    await send(all.slice(start, start + mostPerCall));
    onPart({ done: Math.min(total, start + mostPerCall), total });
  }
  const deleted = all.filter(({ target_value: value }) => value === null).length;
  const saved = total - deleted;
  const words = [
    ...(saved > 0 ? [`${formatCount(saved)} mappings saved`] : []),
    ...(deleted > 0
      ? [saved > 0 ? `${formatCount(deleted)} deleted` : `${formatCount(deleted)} mappings deleted`]
      : []),
  ];
  return `${words.join(', ')}.`;
}

/** “1,000 of 2,500 are saved…”, while the rest is under way. */
export const progressText = ({ done, total }: Progress): string =>
  `${formatCount(done)} of ${formatCount(total)} are saved…`;

/**
 * Words the message of a save of which a part was refused.
 *
 * @param done how many were saved before it.
 * @param why the refusal of that part.
 */
export function refusedAfter({ done, total }: Progress, why: string): string {
  if (done === 0) return why;
  const saved = `The first ${formatCount(done)} of ${formatCount(total)} are saved.`;
  const left = total - done;
  return left <= mostPerCall
    ? `${saved} The other ${formatCount(left)} were refused: ${why}`
    : `${saved} The next part was refused: ${why} What comes after it was not tried.`;
}
