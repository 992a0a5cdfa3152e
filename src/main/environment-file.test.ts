import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readEnvironmentFile } from './environment-file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tallybridge-environment-'));
  path = join(folder, 'env');
  vi.stubEnv('TALLYBRIDGE_ENV_FILE', path);
  vi.stubEnv('TEST_DATABASE', undefined);
  vi.stubEnv('TEST_SECRET', undefined);
  vi.stubEnv('TEST_SENDER', undefined);
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const values = [
  ['an address with signs of the shell', 'postgres://u:a&b$HOME;c`d@db/x?y=1', 'postgres://u:a&b$HOME;c`d@db/x?y=1'],
  ['a backslash', 'a\\b', 'a\\b'],
  ['a sender', 'Tallybridge <billing@msp.example>', 'Tallybridge <billing@msp.example>'],
  ['a # in double quotes', '"a#b"', 'a#b'],
  ['a comment behind a value', 'a # why', 'a'],
] as const;

test.each(values)('reads %s', (_name, text, value) => {
  writeFileSync(path, `# Settings\nTEST_DATABASE=${text}\n\nTEST_SECRET=s\n`);
  readEnvironmentFile();
  expect([process.env['TEST_DATABASE'], process.env['TEST_SECRET']]).toEqual([value, 's']);
});

test('a variable that is already set wins', () => {
  vi.stubEnv('TEST_SECRET', 'set');
  writeFileSync(path, 'TEST_SECRET=file\n');
  readEnvironmentFile();
  expect(process.env['TEST_SECRET']).toBe('set');
});

test('refuses a value that would lose what follows a #, and a file that does not exist', () => {
  writeFileSync(path, 'TEST_SENDER=a\nTEST_SECRET=abc#def\n');
  expect(readEnvironmentFile).toThrow(
    `In ${path}, the value of TEST_SECRET has a #, which begins a comment: put the value in double quotes.`,
  );
  rmSync(path);
  expect(readEnvironmentFile).toThrow(`${path}, cannot be read (ENOENT): check the path and its permissions.`);
});

test('the command of a systemd installation leaves the file to the program', () => {
  const script = join(import.meta.dirname, '..', '..', 'packaging', 'systemd', 'tallybridge.sh');
  writeFileSync(join(folder, 'setpriv'), '#!/bin/sh\nenv\n', { mode: 0o755 });
  const environment = execFileSync('sh', ['-c', `cd() { :; }; . "${script}"`], {
    encoding: 'utf8',
    env: { PATH: `${folder}:/usr/bin:/bin` },
  });
  expect(environment.split('\n')).toEqual(
    expect.arrayContaining(['NODE_ENV=production', 'TALLYBRIDGE_ENV_FILE=/etc/tallybridge/env']),
  );
});
