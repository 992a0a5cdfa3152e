import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Starts the command; `text` collects its output. */
const command = (...words: readonly string[]) => run(join(import.meta.dirname, 'bin.ts'), words);

function run(file: string, words: readonly string[]) {
  const child = spawn(process.execPath, [file, ...words], {
    env: { PATH: process.env['PATH'] },
  });
  children.push(child);
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output.text += chunk.toString();
    });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return { child, output, ended };
}

test('starts both services, prints their URLs and credentials, and stops on a signal', async () => {
  const { child, output, ended } = command('--autotask-port', '0', '--quickbooks-port', '0', '--today', '2025-03-03');
  while (!output.text.includes('Ctrl-C')) await Promise.race([once(child.stdout, 'data'), ended]);
  const [autotask = '', quickbooks = ''] = [...output.text.matchAll(/(http:\S+)\/__sandbox/g)].map(
    ([, url = '']) => url,
  );
  expect(output.text).toContain('api.user@northwind-msp.example');
  expect(await (await fetch(`${autotask}/__sandbox/entities/Invoices/48213`)).json()).toMatchObject({
    item: { invoiceDateTime: '2025-03-03T00:00:00Z' },
  });
  expect((await fetch(`${quickbooks}/.well-known/openid_configuration`)).status).toBe(200);
  const taken = command('--autotask-port', new URL(autotask).port, '--quickbooks-port', '0');
  expect(await taken.ended).toBe(1);
  expect(taken.output.text).toContain('A port is in use');
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('listens on the address of --host', async () => {
  const { child, output, ended } = command('--autotask-port', '0', '--quickbooks-port', '0', '--host', '127.0.0.2');
  while (!output.text.includes('Ctrl-C') && child.exitCode === null)
    await Promise.race([once(child.stdout, 'data'), ended]);
  const urls = [...output.text.matchAll(/(http:\S+)\/__sandbox/g)].map(([, url = '']) => new URL(url));
  expect(urls.map(({ hostname }) => hostname)).toEqual(['127.0.0.2', '127.0.0.2']);
  for (const url of urls) expect((await fetch(`${url.origin}/__sandbox/credentials`)).status).toBe(200);
});

test('the published package runs standalone with decimal.js', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-alone-'));
  const root = join(import.meta.dirname, '..');
  try {
    execFileSync('npm', ['run', 'build'], { cwd: root });
    const installed = join(folder, 'node_modules', '@tallybridge', 'sandbox');
    await cp(join(root, 'dist'), installed, { recursive: true });
    const decimals = join('node_modules', 'decimal.js');
    await cp(join(root, '..', '..', decimals), join(folder, decimals), { recursive: true });
    expect(await readFile(join(installed, 'src', 'index.d.ts'), 'utf8')).toContain('startAutotaskSandbox');
    const { child, output, ended } = run(join(installed, 'src', 'bin.js'), [
      '--autotask-port',
      '0',
      '--quickbooks-port',
      '0',
    ]);
    while (!output.text.includes('Ctrl-C') && child.exitCode === null)
      await Promise.race([once(child.stdout, 'data'), ended]);
    const [url = ''] = /http:\S+(?=\/__sandbox)/.exec(output.text) ?? [output.text];
    expect((await fetch(`${url}/__sandbox/credentials`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test.each([
  [['--port', '1'], /Unknown option/],
  [['--today', 'soon'], /--today must be a date/],
  [['--autotask-port', '99999'], /must be a port/],
])('%j prints the usage', async (words, why) => {
  const { output, ended } = command(...words);
  expect(await ended).toBe(2);
  expect(output.text).toMatch(why);
  expect(output.text).toContain('Usage: tallybridge-sandbox');
});
