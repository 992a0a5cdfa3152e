import { describe, expect, test } from 'vitest';
import { isPassingFailure, failureLine } from './server-output.ts';

const portTaken = [
  '2026-11-25 09:00:00.000 UTC [41] LOG:  starting PostgreSQL 18.1 on x86_64-pc-linux-gnu, 64-bit',
  '2026-11-25 09:00:00.001 UTC [41] LOG:  could not bind IPv4 address "127.0.0.1": Address already in use',
  '2026-11-25 09:00:00.001 UTC [41] HINT:  Is another postmaster already running on port 5432?',
  '2026-11-25 09:00:00.001 UTC [41] WARNING:  could not create listen socket for "127.0.0.1"',
  '2026-11-25 09:00:00.001 UTC [41] FATAL:  could not create any TCP/IP sockets',
  '2026-11-25 09:00:00.002 UTC [41] LOG:  database system is shut down',
].join('\n');

const childrenStillEnding = [
  '2026-11-25 09:00:00.000 UTC [42] FATAL:  pre-existing shared memory block (key 1234, ID 5) is still in use',
  '2026-11-25 09:00:00.000 UTC [42] HINT:  Terminate any old server processes associated with data directory "/data".',
  '2026-11-25 09:00:00.001 UTC [17] FATAL:  terminating connection due to unexpected postmaster exit',
].join('\n');

const wrongFiles = [
  '2026-11-25 09:00:00.000 UTC [43] FATAL:  database files are incompatible with server',
  '2026-11-25 09:00:00.000 UTC [43] DETAIL:  The data directory was initialized by PostgreSQL version 17.',
].join('\n');

describe('a failed server start', () => {
  test.each([
    ['is transient when the port was taken after its choice', portTaken, true],
    [
      'is transient while children of a killed server are ending, even if one logs the last line',
      childrenStillEnding,
      true,
    ],
    ['is transient for the same error on Windows', 'FATAL:  pre-existing shared memory block is still in use', true],
    ['is permanent for files of another version', wrongFiles, false],
    ['is permanent without any output', '', false],
  ])('%s', (_, output, isTransient) => {
    expect(isPassingFailure(output)).toBe(isTransient);
  });

  test.each([
    [portTaken, 'could not create any TCP/IP sockets.'],
    [wrongFiles, 'database files are incompatible with server.'],
    [
      'initdb: error: directory "/data" exists but is not empty\ninitdb: hint: remove it.',
      'directory "/data" exists but is not empty.',
    ],
    ['postgres: cannot execute\n\n', 'postgres: cannot execute.'],
    ['', ''],
  ])('is reported in one sentence', (output, message) => {
    expect(failureLine(output)).toBe(message);
  });
});
