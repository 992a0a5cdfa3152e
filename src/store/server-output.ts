/** Reading of the output of PostgreSQL's programs, which name a failure in no other way than by its text (in English, LC_ALL=C). */

const passing = /address already in use|shared memory block.* is still in use/i;

/**
 * Whether a start failed for a reason that goes away by itself: a port that was taken between its choice and the start,
 * or children of a killed server that are still ending. The reason need not stand in the last line, nor in the fatal one.
 *
 * @param output everything that was written since the start, of other processes too.
 */
export const isPassingFailure = (output: string): boolean => passing.test(output);

/** The most telling line of a program's output, as a sentence; empty when there is no output. */
export function mostTellingLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const line = lines.findLast((one) => /FATAL|PANIC|error:/.test(one)) ?? lines.at(-1) ?? '';
  const text = line.replace(/^.*?(FATAL|PANIC|error):\s*/, '').trim();
  return text === '' || text.endsWith('.') ? text : `${text}.`;
}
