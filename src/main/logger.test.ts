import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { createLogger } from './logger.ts';

test('a log line is JSON with level name, time, host, role and version', () => {
  const lines: string[] = [];
  const to = { write: (line: string) => void lines.push(line) };
  createLogger('info', to, { role: 'worker', version: '1.2.3' }).warn({ chore: 'mails' }, 'housekeeping failed');
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    level: 'warn',
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    host: hostname(),
    pid: process.pid,
    role: 'worker',
    version: '1.2.3',
    chore: 'mails',
    msg: 'housekeeping failed',
  });
});
