import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { withCompiledCode } from '#test/support/compiled-code.ts';
import { newDatabase, testSecretKey } from '#test/support/database.ts';

test('in production, standard output has only log lines, which name the address', async () => {
  const [db, folder] = await Promise.all([newDatabase(), mkdtemp(join(tmpdir(), 'tallybridge-production-'))]);
  const child = spawn(process.execPath, [join(import.meta.dirname, 'start.ts')], {
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      DATABASE_URL: db.url,
      SECRET_KEY: testSecretKey,
      DATA_DIR: folder,
      PORT: '0',
      AUTOTASK_INTEGRATION_CODE: 'code',
      QBO_CLIENT_ID: 'id',
      QBO_CLIENT_SECRET: 'secret',
      QBO_WEBHOOK_VERIFIER: 'verifier',
      STOP_DELAY_SECONDS: '0',
      ...withCompiledCode,
    },
  });
  let output = '';
  child.stdout.on('data', (part: Buffer) => (output += part.toString()));
  try {
    await vi.waitFor(() => expect(output).toContain('"msg":"started"'), { timeout: 60_000, interval: 50 });
    const lines = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    expect(lines).toContainEqual(expect.objectContaining({ url: expect.stringMatching(/^http/), msg: 'started' }));
  } finally {
    const ended = new Promise((done) => child.on('close', done));
    child.kill('SIGTERM');
    await ended;
    await db.close();
    await rm(folder, { recursive: true, force: true });
  }
});
