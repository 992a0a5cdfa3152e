import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { ensureFolder, lockDataDir, removeStale } from './data-folder.ts';
import { DataFolderUnusable } from './errors.ts';
import { eventually } from '#test/support/eventually.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(inject('postgres').dataDir, 'folder-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const lockPath = () => join(folder, 'tallybridge.lock');

/** Starts a process that holds the folder's lock until it is killed. */
async function holdElsewhere() {
  const script = `
    const { lockDataDir } = await import(${JSON.stringify(new URL('data-folder.ts', import.meta.url).href)});
    await lockDataDir(${JSON.stringify(folder)});
    console.log('held');
    setInterval(() => undefined, 60_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

test('locks a folder for one process and names it to the second one', async () => {
  const child = await holdElsewhere();
  const refused = lockDataDir(folder);
  await expect(refused).rejects.toThrow(DataFolderUnusable);
  await expect(refused).rejects.toThrow(`in use by another Tallybridge (process ${child.pid})`);
  child.kill('SIGKILL');
  await once(child, 'exit');
});

test('lets one of several processes take the lock of a killed process', async () => {
  const child = await holdElsewhere();
  const stale = await readFile(lockPath(), 'utf8');
  child.kill('SIGKILL');
  await once(child, 'exit');
  for (let round = 0; round < 20; round++) {
    await writeFile(lockPath(), stale);
    const locks = await Promise.allSettled([1, 2, 3, 4, 5, 6, 7, 8].map(() => lockDataDir(folder)));
    const held = locks.filter((lock) => lock.status === 'fulfilled');
    expect(held).toHaveLength(1);
    await held[0]?.value.release();
    expect(await readdir(folder)).toEqual([]);
  }
});

test('continues after a process died while removing a stale lock', async () => {
  const child = await holdElsewhere();
  const stale = await readFile(lockPath(), 'utf8');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const guard = createHash('sha256').update(stale).digest('hex').slice(0, 16);
  await writeFile(`${lockPath()}.${guard}`, stale.replace(/ [^ ]*$/, ' another'));
  await (await lockDataDir(folder)).release();
  expect(await readdir(folder)).toEqual([]);
});

test.runIf(process.platform === 'linux')('ignores the lock of an ended process that was not reaped', async () => {
  // The shell starts a lock holder and then becomes a program that never collects its children; the holder ends.
  const script = `"${process.execPath}" --input-type=module --eval "${holdOnce()}" & exec sleep 60`;
  const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = line.toString().trim();
  await eventually(async () => expect(await readFile(`/proc/${pid}/stat`, 'utf8')).toContain(') Z '));
  await (await lockDataDir(folder)).release();
  parent.kill('SIGKILL');
  await once(parent, 'exit');
});

const holdOnce = (): string => `
  const { lockDataDir } = await import('${new URL('data-folder.ts', import.meta.url).href}');
  await lockDataDir('${folder}');
  console.log(process.pid);`;

test('ignores a lock whose process ID was reused by another program', async () => {
  await writeFile(lockPath(), `${process.pid} some-earlier-boot:123 abc`);
  const lock = await lockDataDir(folder);
  await lock.release();
  await writeFile(lockPath(), 'rubbish');
  await (await lockDataDir(folder)).release();
});

test('does not remove a newer lock that replaced a stale one', async () => {
  const lock = await lockDataDir(folder);
  await removeStale(lockPath(), 'the stale lock that another one has replaced by now');
  await expect(lockDataDir(folder)).rejects.toThrow('in use');
  await lock.release();
  expect(await readdir(folder)).toEqual([]);
});

test("releasing a lock twice does not free the next holder's lock", async () => {
  const first = await lockDataDir(folder);
  await first.release();
  const second = await lockDataDir(folder);
  await first.release();
  await expect(lockDataDir(folder)).rejects.toThrow('in use');
  await second.release();
});

test('reports an unusable folder in one sentence', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  for (const path of [file, join(file, 'below')]) {
    const refused = ensureFolder(path);
    await expect(refused).rejects.toThrow(DataFolderUnusable);
    await expect(refused).rejects.toThrow(/^The data folder .* cannot be used \(a .*file.*\): make it writable/);
  }
  expect(await ensureFolder(join(folder, 'new', 'deep'))).toBe(join(folder, 'new', 'deep'));
});

test('makes the folder private, even if it was open before', async () => {
  const open = join(folder, 'open');
  await mkdir(open, { mode: 0o755 });
  await chmod(open, 0o755);
  for (const path of [open, join(folder, 'fresh')])
    expect((await stat(await ensureFolder(path))).mode & 0o777).toBe(0o700);
});
