/** Parses the output of PostgreSQL's programs, which report a failure only as text (in English, with LC_ALL=C). */

const passing = ['address already in use', 'is still in use'];

/**
 * Returns true if a start failed for a temporary reason: a port taken between its choice and the start, or children of
 * a killed server that are still ending. The reason may appear on any line, not only on the last or the fatal one.
 *
 * @param output everything written since the start, including output of other processes.
 */
export const isPassingFailure = (output: string): boolean =>
  passing.some((text) => output.toLowerCase().includes(text));

/** Returns the most informative line of a program's output, as a sentence; empty if there is no output. */
export function failureLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  const line = lines.findLast((one) => /FATAL|PANIC|error:/.test(one)) ?? lines.at(-1) ?? '';
  const text = line.replace(/^.*?(FATAL|PANIC|error):\s*/, '').trim();
  return text === '' || text.endsWith('.') ? text : `${text}.`;
}
