import type { Instant } from './values/dates.ts';

/**
 * Levels of transcript lines, most important first; a job's `log_level` includes that level and all more important
 * ones.
 */
export const logLevels = ['error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof logLevels)[number];

/** One line of an attempt's transcript. */
export interface TranscriptLine {
  readonly at: Instant;
  readonly level: LogLevel;
  readonly text: string;
}

/** A line without its time, as planning returns it; the flow adds the time. */
export interface Note {
  readonly level: LogLevel;
  readonly text: string;
}

export const note = (level: LogLevel, text: string): Note => ({ level, text });

/** Returns a transcript with notes appended at one time. */
export const appendNotes = (
  lines: readonly TranscriptLine[],
  at: Instant,
  notes: readonly Note[],
): TranscriptLine[] => [...lines, ...notes.map((one) => ({ at, ...one }))];

/** Whether a job with this `log_level` stores a line of this level. */
export const isVisible = (level: LogLevel, chosen: LogLevel): boolean =>
  logLevels.indexOf(level) <= logLevels.indexOf(chosen);

const oneLine = (text: string): string =>
  /[\r\n]/.test(text)
    ? text
        .split(/[\r\n]+/)
        .map((line) => line.trim())
        .filter((line) => line !== '')
        .join(' ')
    : text;

/**
 * Formats a transcript as plain text: `HH:MM:SS LEVEL text` in UTC, then the last line `RESULT …` (domain reference
 * 12). Line breaks inside a text become spaces.
 */
export function formatTranscript(lines: readonly TranscriptLine[], chosen: LogLevel, result: TranscriptResult): string {
  const shown = lines.filter((line) => isVisible(line.level, chosen));
  const set = (at: Instant, word: string, text: string) => `${at.slice(11, 19)} ${word.padEnd(5)} ${oneLine(text)}`;
  return [
    ...shown.map((line) => set(line.at, line.level.toUpperCase(), line.text)),
    set(result.at, 'RESULT', `${result.outcome}  ${result.text}`),
  ].join('\n');
}

/** End of an attempt, for the last line of its transcript. */
export interface TranscriptResult {
  readonly at: Instant;
  readonly outcome: 'OK' | 'OK (test)' | 'SKIPPED' | 'FAILED' | 'HELD' | 'PENDING';
  readonly text: string;
}
