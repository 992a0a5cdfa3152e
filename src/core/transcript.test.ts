import { expect, test } from 'vitest';
import { formatTranscript, isVisible, logLevels, type TranscriptLine } from './transcript.ts';
import { instant } from './values/dates.ts';

const lines: readonly TranscriptLine[] = [
  { at: instant('2025-03-03T15:00:04.120Z'), level: 'info', text: 'Invoice 48213 for Acme Dental' },
  { at: instant('2025-03-03T15:00:05.000Z'), level: 'debug', text: 'POST item Hardware -> 30' },
  { at: instant('2025-03-03T15:00:06.000Z'), level: 'warn', text: 'first line\r\n  second line' },
  { at: instant('2025-03-03T15:00:06.000Z'), level: 'error', text: 'NO_LINES' },
];
const result = { at: instant('2025-03-03T15:00:08Z'), outcome: 'OK', text: 'Invoice 48213 was created.' } as const;

test('prints one line per event in columns and ends with the result', () => {
  expect(formatTranscript(lines, 'debug', result).split('\n')).toEqual([
    '15:00:04 INFO  Invoice 48213 for Acme Dental',
    '15:00:05 DEBUG POST item Hardware -> 30',
    '15:00:06 WARN  first line second line',
    '15:00:06 ERROR NO_LINES',
    '15:00:08 RESULT OK  Invoice 48213 was created.',
  ]);
});

test.each([
  ['error', 2],
  ['warn', 3],
  ['info', 4],
  ['debug', 5],
  ['trace', 5],
] as const)('level %s includes more important levels and always the result', (level, count) => {
  expect(formatTranscript(lines, level, result).split('\n')).toHaveLength(count);
});

test('levels are ordered by importance', () => {
  for (const [index, level] of logLevels.entries())
    expect(logLevels.filter((one) => isVisible(one, level))).toEqual(logLevels.slice(0, index + 1));
});
