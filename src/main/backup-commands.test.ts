import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { instant } from '#core/values/dates.ts';
import { runCommand, runHere } from '#test/support/command.ts';
import { asOwner, newDatabase, type TestDatabase } from '#test/support/database.ts';
import type { FileKeys } from '#store/encrypted-file.ts';
import { backUp, createBackupKey, restore } from './backup-commands.ts';
import type { Outcome } from './operator-context.ts';
import { migrateDatabase } from './migrate-command.ts';
import { newUser } from '#test/cases/sample-records.ts';

let folder: string;
let db: TestDatabase;
let file: string;
let userId: string;
/** A text with every kind of character that a line-based format could misread. */
const awkward = 'tab\there, back\\slash \\. and \\N, “quotes”, line\nbreaks\r\nand\u2028separators 😀';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tallybridge-backup-'));
  db = await newDatabase();
  const { id } = await db.store.addTenant({ name: awkward, status: 'active', timeZone: 'UTC' });
  await db.store.forTenant(id).saveConnection(
    {
      service: 'psa',
      status: 'active',
      name: 'Wingtip',
      user: 'api',
      externalId: '4711',
      connectedAt: instant('2025-03-03T15:00:00Z'),
      problem: null,
    },
    { userName: 'api', secret: 'the secret of the PSA' },
  );
  const user = await db.store.addUser(newUser('wendy@wingtip.example', { tenantId: id }));
  userId = user.id;
  await db.store.beginSecondFactor(userId, 'JBSWY3DPEHPK3PXP', instant('2025-03-03T15:00:00Z'));
  await db.store.forTenant(id).addAudit({
    at: instant('2025-03-03T15:00:00Z'),
    actor: { username: 'wendy@wingtip.example' },
    action: 'settings.saved',
    subject: null,
    before: null,
    after: { text: awkward },
  });
  file = join(folder, 'first.backup.gz');
  expect(await run(db.url, 'backup', file)).toMatchObject({ code: 0, output: expect.stringContaining(file) });
});
afterAll(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

const run = (url: string, ...words: readonly string[]) => runCommand(words, { folder, DATABASE_URL: url });

const migrated = (url: string) =>
  runHere(() => migrateDatabase({ isDryRun: false, lockTimeoutSeconds: 10 }), { folder, DATABASE_URL: url });

let target: TestDatabase;
beforeEach(async () => {
  target = await newDatabase({ isMigrated: false });
});
afterEach(() => target.close());

/** Returns all rows of all tables, apart from what a restore changes on purpose. */
const contentOf = (url: string) =>
  asOwner(url, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
         and relname not in ('binding_key', 'deployment_clock', 'deployment_events', 'schema_migrations') order by 1`,
    );
    const content: Record<string, unknown> = {};
    for (const { name } of tables)
      content[name] = (await client.query(`select to_jsonb(t)::text as row from ${name} t order by 1`)).rows;
    const { rows: sequences } = await client.query(
      `select sequencename, last_value from pg_sequences where sequencename not like 'deployment_events%' order by 1`,
    );
    return { content, sequences };
  });

test('a backup fills an empty database with the same rows, readable with the same SECRET_KEY', async () => {
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const text = gunzipSync(await readFile(file)).toString();
  expect(text).not.toContain('the secret of the PSA');
  expect(text).not.toContain('JBSWY3DPEHPK3PXP');
  const restored = await run(target.url, 'restore', file, '--json');
  expect(JSON.parse(restored.output)).toMatchObject({ success: true, data: { pending: [] } });
  expect(await contentOf(target.url)).toEqual(await contentOf(db.url));
  expect(await target.store.readSecondFactor(userId)).toMatchObject({ secret: 'JBSWY3DPEHPK3PXP' });
  const [event] = await target.store.listDeploymentEvents(1);
  expect(event).toMatchObject({ action: 'database.restored' });
  expect((await run(target.url, 'client', 'list')).code).toBe(0);
});

test('a verified backup was restored into a scratch database, which is deleted again', async () => {
  const databases = () =>
    asOwner(
      db.url,
      async (client) =>
        (await client.query(`select datname from pg_database where datname like 'tallybridge_verify_%'`)).rows,
    );
  const path = join(folder, 'verified.backup.gz');
  const { code, output } = await runHere(() => backUp(path, { isVerified: true }), { folder, DATABASE_URL: db.url });
  expect([code, output]).toEqual([
    0,
    expect.stringContaining('They were restored into a scratch database and counted.'),
  ]);
  expect(await databases()).toEqual([]);
  const [event] = await db.store.listDeploymentEvents(1);
  expect(event).toMatchObject({ action: 'database.backed_up', detail: { isVerified: true } });
  const { backedUpAt } = await db.store.readDeploymentTotals(instant(Date.now()));
  expect(backedUpAt).toBe(event?.at);
});

test('a backup that the database user may not verify is written, and names the missing right', async () => {
  await asOwner(db.url, (owner) =>
    owner.query(
      `create role backs_up login password 'p' bypassrls in role pg_read_all_data, tallybridge_root, tallybridge_purge`,
    ),
  );
  const url = new URL(db.url);
  [url.username, url.password] = ['backs_up', 'p'];
  const path = join(folder, 'unverified.backup.gz');
  try {
    const { code, output } = await run(url.href, 'backup', path, '--verify');
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/was written, but not verified: .* may not create databases/),
    ]);
    expect((await stat(path)).size).toBeGreaterThan(0);
  } finally {
    await asOwner(db.url, (owner) => owner.query('drop owned by backs_up; drop role backs_up'));
  }
});

describe('an encrypted backup', () => {
  const here = (command: () => Promise<Outcome>, url = db.url) => runHere(command, { folder, DATABASE_URL: url });
  const restoreWith = (path: string, keys: FileKeys) =>
    here(() => restore(path, { isForced: false, keys }), target.url);
  const identityFile = () => join(folder, 'key.txt');
  const sealed = () => join(folder, 'sealed.gz.age');
  const phrase = () => join(folder, 'phrase.txt');
  let recipient: string;
  beforeAll(async () => {
    await createBackupKey(identityFile());
    recipient = /age1\w+/.exec(await readFile(identityFile(), 'utf8'))?.[0] ?? '';
    await writeFile(phrase(), 'correct horse battery\n');
    expect(
      await here(() =>
        backUp(sealed(), { isVerified: true, keys: { recipients: [recipient], identityFile: identityFile() } }),
      ),
    ).toMatchObject({ code: 0, output: expect.stringMatching(/restored into a scratch database.*It is encrypted/) });
  });

  test('is restored with the secret key, and shows nothing without it', async () => {
    expect((await stat(identityFile())).mode & 0o777).toBe(0o600);
    expect((await readFile(sealed())).toString('latin1')).toMatch(/^age-encryption\.org\/v1\n/);
    expect(await restoreWith(sealed(), { identityFile: identityFile() })).toMatchObject({ code: 0 });
    expect(await contentOf(target.url)).toEqual(await contentOf(db.url));
  });

  test('is restored with the passphrase of a file', async () => {
    const path = join(folder, 'phrase.gz.age');
    expect(await here(() => backUp(path, { keys: { passphraseFile: phrase() } }))).toMatchObject({ code: 0 });
    expect(await restoreWith(path, { passphraseFile: phrase() })).toMatchObject({ code: 0 });
  });

  test('names a wrong or missing key, and what is damaged, and restores nothing', async () => {
    const wrong = join(folder, 'wrong.txt');
    await createBackupKey(wrong);
    const short = join(folder, 'short.txt');
    await writeFile(short, 'short');
    const damaged = async (name: string, change: (bytes: Buffer) => Buffer) => {
      const path = join(folder, name);
      await writeFile(path, change(await readFile(sealed())));
      return path;
    };
    const flipped = await damaged('flipped', (bytes) =>
      bytes.fill(255 - (bytes.at(-40) ?? 0), bytes.length - 40, bytes.length - 39),
    );
    const cut = await damaged('cut', (bytes) => bytes.subarray(0, -20));
    const head = await damaged('head', (bytes) => bytes.subarray(0, 60));
    const cases: readonly (readonly [string, FileKeys, RegExp])[] = [
      [sealed(), {}, /is encrypted: add --identity or --passphrase-file/],
      [sealed(), { identityFile: wrong }, /^The key does not open /],
      [sealed(), { passphraseFile: phrase() }, /^The key does not open /],
      [sealed(), { identityFile: join(folder, 'none.txt') }, /none\.txt cannot be read \(ENOENT\)/],
      [sealed(), { passphraseFile: short }, /shorter than 12 characters/],
      [file, { identityFile: identityFile() }, /is not encrypted/],
      [join(folder, 'none.gz'), { identityFile: identityFile() }, /none\.gz cannot be read \(ENOENT\)/],
      ...[flipped, cut, head].map(
        (path) => [path, { identityFile: identityFile() }, /^The backup .* is damaged or cannot be read/] as const,
      ),
    ];
    for (const [path, keys, message] of cases)
      expect(await restoreWith(path, keys)).toEqual({ code: 1, output: expect.stringMatching(message) });
    const { rowCount } = await asOwner(target.url, (client) =>
      client.query(`select from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`),
    );
    expect(rowCount).toBe(0);
  });

  test('is not written with a key that cannot be used', async () => {
    const path = join(folder, 'unwritten.gz.age');
    for (const [keys, isVerified, message] of [
      [{ recipients: ['age1wrong'] }, false, /is not a public key of age/],
      [{ recipients: [recipient], passphraseFile: phrase() }, false, /not both/],
      [{ recipients: [recipient] }, true, /also give its secret key with --identity/],
    ] as const)
      expect(await here(() => backUp(path, { keys, isVerified }))).toEqual({
        code: 1,
        output: expect.stringMatching(message),
      });
    await expect(stat(path)).rejects.toThrow('ENOENT');
    await expect(createBackupKey(identityFile())).rejects.toThrow('choose another name');
  });

  test('is written and restored by command', async () => {
    const path = join(folder, 'by-command.gz.age');
    expect(await run(db.url, 'backup', '--encrypt', recipient, path)).toMatchObject({ code: 0 });
    expect(await run(target.url, 'restore', path, '--identity', identityFile())).toMatchObject({ code: 0 });
  });
});

test('a restore does not overwrite data without --force', async () => {
  await migrated(target.url);
  const refused = await run(target.url, 'restore', file);
  expect(refused).toEqual({
    code: 1,
    output:
      'The database is not empty: restore into a new one, or add --force, which deletes everything in this one.\n',
  });
  const names = () =>
    asOwner(target.url, async (client) => (await client.query('select name from tenants')).rows.map((row) => row.name));
  expect(await names()).toEqual([]);
  expect(await run(target.url, 'restore', file, '--force')).toMatchObject({ code: 0 });
  expect(await names()).toEqual([awkward]);
});

test('a restore waits for no process: it refuses while the product runs', async () => {
  await migrated(target.url);
  await asOwner(`${target.url}?application_name=tallybridge`, async () => {
    for (const words of [['restore', file, '--force'], ['restored']])
      expect(await run(target.url, ...words)).toMatchObject({
        code: 1,
        output: expect.stringMatching(/^Processes of Tallybridge use the database: stop all of them/),
      });
  });
});

describe('a restore leaves the database empty when the backup', () => {
  const cases: readonly (readonly [string, (path: string) => Promise<void>, RegExp])[] = [
    ['was cut off', async (path) => truncate(path, (await stat(file)).size - 20), /is damaged or cannot be read/],
    [
      'lacks its end',
      async (path) =>
        writeFile(
          path,
          gzipSync(
            linesOf(await readFile(file))
              .slice(0, -1)
              .join('\n') + '\n',
          ),
        ),
      /is incomplete/,
    ],
    [
      'lacks a row',
      async (path) => {
        const lines = linesOf(await readFile(file));
        const at = lines.findIndex((line) => line.includes('wendy@wingtip.example'));
        await writeFile(path, gzipSync([...lines.slice(0, at), ...lines.slice(at + 1)].join('\n') + '\n'));
      },
      /is incomplete/,
    ],
    [
      'is another file',
      (path) => writeFile(path, gzipSync('{"format":"another"}\n')),
      /is not a backup of Tallybridge/,
    ],
    ['does not exist', (path) => rm(path), /cannot be read \(ENOENT\)\.$/m],
    [
      'is of a newer version',
      async (path) => {
        const text = gunzipSync(await readFile(file)).toString();
        await writeFile(path, gzipSync(text.replace('"migrations":[', '"migrations":["9999_future",')));
      },
      /was created by a newer Tallybridge/,
    ],
  ];
  test.each(cases)('%s', async (name, damage, message) => {
    const copy = join(folder, `${name.replaceAll(' ', '-')}.backup.gz`);
    await writeFile(copy, await readFile(file));
    await damage(copy);
    const { code, output } = await runHere(() => restore(copy, { isForced: false }), {
      folder,
      DATABASE_URL: target.url,
    });
    expect([code, output]).toEqual([1, expect.stringMatching(message)]);
    const tables = await asOwner(target.url, (client) =>
      client.query(`select from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`),
    );
    expect(tables.rowCount).toBe(0);
  });
});

const linesOf = (bytes: Buffer) => gunzipSync(bytes).toString().trimEnd().split('\n');

test('a backup never overwrites a file, and leaves none when it cannot be written', async () => {
  const backUpTo = (path: string) => runHere(() => backUp(path), { folder, DATABASE_URL: db.url });
  expect(await backUpTo(file)).toMatchObject({ code: 1, output: expect.stringContaining('exists already') });
  const nowhere = join(folder, 'no-folder', 'x.gz');
  expect(await backUpTo(nowhere)).toEqual({
    code: 1,
    output: `${nowhere} cannot be written (ENOENT): choose another place.\n`,
  });
  expect((await readdir(folder)).filter((name) => name.endsWith('x.gz'))).toEqual([]);
});

test('a backup that fails before it creates its file leaves an earlier one', async () => {
  const broken = await newDatabase();
  const path = join(folder, 'last-week.gz');
  const backUpTo = () => runHere(() => backUp(path), { folder, DATABASE_URL: broken.url });
  try {
    await asOwner(broken.url, (owner) => owner.query('drop policy all_tenants on tenants'));
    await asOwner(broken.url, (owner) => owner.query('drop policy purge on tenants'));
    await writeFile(path, 'last week');
    expect(await backUpTo()).toMatchObject({ code: 1, output: expect.stringContaining('No role may read') });
    expect(await readFile(path, 'utf8')).toBe('last week');
  } finally {
    await broken.close();
  }
});
