import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { autotaskDescriptor } from '#connectors/autotask/descriptor.ts';
import { routes } from '#contract/routes.ts';
import { securityEventNames } from '#core/security-event.ts';
import { createLogger } from '#main/logger.ts';
import { hasTitle } from './support/cited.ts';

/** Risky features that the product does not use. The test searches its sources. */

const root = join(import.meta.dirname, '..');
const product = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file));

/** Returns the product's files that match a pattern. */
const filesWith = (pattern: RegExp): readonly string[] =>
  product.filter((file) => pattern.test(readFileSync(join(root, 'src', file), 'utf8')));

const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: object };

describe('the product', () => {
  test('has sources to search', () => {
    expect(product.length).toBeGreaterThan(200);
    expect(filesWith(/randomBytes/).length).toBeGreaterThan(0);
  });

  test.each([
    ['evaluates no text as code', /\beval\(|new Function\(|\bvm\b.*from 'node:vm'/],
    ['sets no HTML', /dangerouslySetInnerHTML|\.innerHTML\s*=|document\.write\(/],
    ['does not message other windows', /\.postMessage\(|addEventListener\('message'/],
    ['opens no WebSocket and no WebRTC', /\bnew WebSocket\(|RTCPeerConnection|getUserMedia/],
    ['uses no weak hash', /create(?:Hash|Hmac)\('(?!sha256'|sha512')/],
    ['encrypts only with authentication', /createCipheriv\('(?!aes-256-gcm')/],
    ['creates no key pairs and no client certificates', /generateKeyPair|exportJWK|createSign\(|\bpfx:|\bcert:/],
    ['runs no native code', /process\.dlopen|node-gyp|\.node'|util\.format\(/],
    ['takes no files', /multipart|type="file"[^>]*\bname=/],
    ['verifies every certificate', /rejectUnauthorized:\s*false|NODE_TLS_REJECT_UNAUTHORIZED/],
  ])('%s', (_what, pattern) => {
    expect(filesWith(pattern)).toEqual([]);
  });

  test('names the menus of a PSA only in its connector', () => {
    const tops = Object.values(autotaskDescriptor.menus).map((menu) => menu.split(' > ')[0] ?? '');
    const pattern = new RegExp(`\\b(${[...new Set(tops)].join('|')})( > |, Resources)`);
    expect(filesWith(pattern)).toEqual(['connectors/autotask/descriptor.ts']);
  });

  test('builds SQL from text only for integers and booleans, in one file', () => {
    expect(filesWith(/\bsql\.(raw|lit|literal|unsafe)\b/)).toEqual(['store/literals.ts']);
  });

  test('issues no tokens to other programs: it is no authorization server, OpenID provider or resource server', () => {
    const paths = Object.values(routes).map(({ path }) => path);
    expect(
      paths.filter((path) => /\/(oauth2?|token|introspect|revoke|userinfo|\.well-known)(\/|$)/.test(path)),
    ).toEqual([]);
  });

  test('builds no regular expression from user input', () => {
    expect(filesWith(/new RegExp\(/).toSorted()).toEqual([
      'api/openapi.ts',
      'api/single-page.ts',
      'connectors/quickbooks/query.ts',
      'contract/quickbooks.ts',
    ]);
  });

  test('derives no key from a password, except for PostgreSQL logins with random passwords and encrypted backups', () => {
    expect(filesWith(/\bscrypt|pbkdf2/)).toEqual(['store/encrypted-file.ts', 'store/tenant-login.ts']);
  });

  test('uses Math.random only to spread waits', () => {
    const spread = filesWith(/Math\.random\(/);
    expect(spread.filter((file) => !/^(flows\/sync|connectors|worker)\//.test(file))).toEqual([]);
  });

  test('starts no program except PostgreSQL and the build', () => {
    const starting = filesWith(/from 'node:child_process'/);
    expect(starting.filter((file) => !file.startsWith('store/') && !file.startsWith('main/'))).toEqual([]);
  });

  test('depends on no parser of XML, LDAP, GraphQL, templates or archives, and sends no text messages', () => {
    const risky =
      /latex|twilio|vonage|sns|xml|sax|ldap|graphql|^ws$|socket|handlebars|mustache|ejs|pug|lodash|unzip|tar$|memcache|jndi|saml|passport/i;
    expect(Object.keys(dependencies).filter((name) => risky.test(name))).toEqual([]);
  });
});

describe('the log', () => {
  test('writes one line of JSON per event, in UTC, with any content of its fields', () => {
    const written: string[] = [];
    const write = process.stdout.write.bind(process.stdout);
    process.stdout.write = (chunk) => {
      written.push(String(chunk));
      return true;
    };
    try {
      createLogger('info', { write: (line) => void written.push(line) }).info(
        { event: 'x\n{"level":60,"msg":"forged"}', password: 'secret-canary' },
        'one\r\ntwo',
      );
    } finally {
      process.stdout.write = write;
    }
    expect(written).toHaveLength(1);
    const [line = ''] = written;
    expect(line.trimEnd().split('\n')).toHaveLength(1);
    const { time, msg } = JSON.parse(line) as { time: string; msg: string };
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(msg).toBe('one\r\ntwo');
    expect(line).not.toContain('secret-canary');
  });
});

const document = (...path: readonly string[]): string => readFileSync(join(root, ...path), 'utf8');

describe('the documents about security', () => {
  const migrations = readdirSync(join(root, 'src', 'store', 'migrations'), { encoding: 'utf8' });
  const schema = migrations
    .filter((file) => file.endsWith('.sql'))
    .map((file) => document('src', 'store', 'migrations', file))
    .join('\n');
  const created = [...schema.matchAll(/^create table (\w+) \(\n([\s\S]*?)^\);/gm)].flatMap(
    ([, table = '', lines = '']) =>
      [...lines.matchAll(/^ {2}(?!constraint)(\w+) /gm)].map(([, column = '']) => ({ table, column })),
  );
  const added = [...schema.matchAll(/^alter table (\w+)\s+add column (?:if not exists )?(\w+)/gm)].map(
    ([, table = '', column = '']) => ({ table, column }),
  );
  const columns = [...created, ...added];

  test('everything that users set up for the client has an owner', () => {
    const set = columns.filter(({ column }) => /^(created|invited|added)_by$/.test(column)).map(({ table }) => table);
    expect(set.length).toBeGreaterThan(3);
    const owned = document('src', 'store', 'owned.ts');
    expect(set.filter((table) => !owned.includes(`table: '${table}'`))).toEqual([]);
    const creators = Object.entries(routes).filter(([, { reply }]) =>
      /"created_by"/.test(JSON.stringify(z.toJSONSchema(reply, { unrepresentable: 'any', io: 'input' }))),
    );
    expect(creators.length).toBeGreaterThan(5);
    for (const [name, { reply }] of creators)
      expect([name, JSON.stringify(z.toJSONSchema(reply, { unrepresentable: 'any', io: 'input' }))]).toEqual([
        name,
        expect.stringContaining('"owner"'),
      ]);
  });

  test('names every encrypted and hashed column', () => {
    // Hashes of contents that protect no secret.
    const harmless = ['drafts.plan_hash', 'drafts.psa_hash', 'schema_migrations.hash'];
    const secret = [
      ...[...schema.matchAll(/^comment on column (\w+\.\w+) is '[^']*encrypted/gim)].map(([, name = '']) => name),
      ...columns
        .filter(({ column }) => /hash$|secret$|sealed|wrapped_key|_token$/.test(column))
        .map(({ table, column }) => `${table}.${column}`),
    ].filter((name) => !harmless.includes(name) && !name.startsWith('tenants.') && !name.startsWith('data_keys.'));
    expect(secret.length).toBeGreaterThan(20);
    const asvs = document('docs', 'asvs.md');
    expect(secret.filter((name) => !asvs.includes(`\`${name}\``))).toEqual([]);
  });

  test('lists every security event', () => {
    const monitoring = document('docs', 'operate', 'monitoring.md');
    expect(securityEventNames.filter((name) => !monitoring.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('the ASVS table', () => {
  const { data: rows } = Papa.parse<Record<'requirement' | 'level' | 'status' | 'evidence' | 'tests' | 'code', string>>(
    document('docs', 'asvs.csv').trimEnd(),
    { header: true },
  );

  test('lists every requirement of levels 1 and 2 once', () => {
    expect(new Set(rows.map(({ requirement }) => requirement)).size).toBe(rows.length);
    expect(['L1', 'L2'].map((level) => rows.filter((row) => row.level === level).length)).toEqual([70, 183]);
  });

  test('cites existing tests', () => {
    expect(rows.filter(({ status, tests }) => status === 'test' && tests === '')).toEqual([]);
    const missing = rows
      .flatMap(({ tests }) => (tests === '' ? [] : tests.split('; ')))
      .filter((one) => {
        const [, title = '', file = ''] = /^(.+) \(([^()]+)\)$/.exec(one) ?? [];
        return !hasTitle(readFileSync(join(root, file), 'utf8'), title);
      });
    expect(missing).toEqual([]);
  });

  test('cites the code or chapter that decides, where no test does', () => {
    const claims = rows.filter(({ status, tests }) => status === 'design' && tests === '');
    expect(claims.length).toBeGreaterThan(10);
    const missing = claims.filter(({ code }) => {
      const [file = '', ...place] = code.split('#');
      return file === '' || place.join('#') === '' || !document(file).includes(place.join('#').trim());
    });
    expect(missing).toEqual([]);
  });

  test('proves that what it calls not applicable does not exist', () => {
    const unproved = rows.filter(({ status, tests }) => status === 'not applicable' && tests === '');
    // Neither is a feature that sources would show.
    expect(unproved.map(({ requirement }) => requirement)).toEqual(['10.5.5', '12.3.3', '12.3.4']);
  });

  test('counts the applicable and the tested requirements', () => {
    const applicable = rows.filter(({ status }) => status !== 'not applicable');
    const tested = applicable.filter(({ status }) => status === 'test');
    const share = ((100 * tested.length) / applicable.length).toFixed(1);
    expect(readFileSync(join(root, 'docs', 'asvs.md'), 'utf8')).toContain(
      `Of the ${applicable.length} that apply, tests hold ${tested.length} (${share} %).`,
    );
  });
});
