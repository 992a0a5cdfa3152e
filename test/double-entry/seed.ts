import { generate, inWords, possibleSteps, type Sequence } from '@tallybridge/double-entry';
import { minimize } from '../disasters/minimize.ts';
import type { Company } from './run.ts';

/** Bounds the time of a failing seed: the shortest sequence is found long before. */
const maxReplays = 60;

/** Returns what differs without names and amounts, so that a shorter sequence fails in the same way. */
const kindOf = (found: readonly string[]): string =>
  (found[0] ?? '').replace(/^after step \d+: /, '').replaceAll(/[\d,.]+/g, '');

/**
 * Plays the sequence of a seed. Returns nothing if the product agrees with the double entry, otherwise the shortest
 * sequence that still differs, in plain words.
 */
export async function playSeed(company: Company, seed: number): Promise<string> {
  const sequence = generate(seed);
  const found = await company.play(sequence);
  if (found.length === 0) return '';
  // Set by scripts/mutants.ts: a planted bug needs no shortest sequence.
  if (process.env['DOUBLE_ENTRY_WHOLE'] === '1') return reportOf(sequence, found);
  let shortest = found;
  let replays = 0;
  const stillFails = async (shorter: Sequence): Promise<boolean> => {
    if ((replays += 1) > maxReplays) return false;
    const again = await company.play(shorter);
    if (kindOf(again) !== kindOf(found)) return false;
    shortest = again;
    return true;
  };
  const failing = possibleSteps(await minimize(sequence, stillFails));
  return reportOf(failing, shortest);
}

/** Describes a sequence and what differs after it. */
export const reportOf = ({ seed, direction, customers, vendors, steps }: Sequence, found: readonly string[]): string =>
  [
    `Seed ${seed}. ${direction === 'both' ? 'Payments sync in both directions.' : 'Payments sync from QuickBooks only.'}`,
    ...steps.map((step, index) => `${index + 1}. ${inWords(step, { customers, vendors })}`),
    ...found.map((one) => `✗ ${one}`),
  ].join('\n');
