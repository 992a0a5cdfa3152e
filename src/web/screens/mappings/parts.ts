import { formatCount } from '../../data/format.ts';

/** Limit of the API for one call. Each call saves all of its mappings or none. */
const maxPerCall = 1_000;

/** Progress of a selection that is saved in parts. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

/**
 * Sends the mappings in parts, one after the other. The first failure stops it.
 *
 * @param onPart called after each part if there are several
 * @returns the message of a single part, or the counts of all parts
 */
export async function sendInParts<Wanted extends { readonly target_value: string | null }>(
  all: readonly Wanted[],
  send: (part: readonly Wanted[]) => Promise<string>,
  onPart: (progress: Progress) => void,
): Promise<string> {
  const total = all.length;
  if (total <= maxPerCall) return send(all);
  for (let start = 0; start < total; start += maxPerCall) {
    await send(all.slice(start, start + maxPerCall));
    onPart({ done: Math.min(total, start + maxPerCall), total });
  }
  const deleted = all.filter(({ target_value: value }) => value === null).length;
  const saved = total - deleted;
  const counts = [
    ...(saved > 0 ? [`${formatCount(saved)} mappings saved`] : []),
    ...(deleted > 0
      ? [saved > 0 ? `${formatCount(deleted)} deleted` : `${formatCount(deleted)} mappings deleted`]
      : []),
  ];
  return `${counts.join(', ')}.`;
}

export const progressText = ({ done, total }: Progress): string =>
  `Saved ${formatCount(done)} of ${formatCount(total)}…`;

/**
 * Returns the message of a save whose parts were not all accepted.
 *
 * @param done number of mappings saved before the failure
 * @param why message of the failed part
 */
export function refusedAfter({ done, total }: Progress, why: string): string {
  if (done === 0) return why;
  const saved = `Saved the first ${formatCount(done)} of ${formatCount(total)}.`;
  const left = total - done;
  return left <= maxPerCall
    ? `${saved} The other ${formatCount(left)} were rejected: ${why}`
    : `${saved} The next part was refused: ${why} The rest was not sent.`;
}
