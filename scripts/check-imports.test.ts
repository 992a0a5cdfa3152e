import { expect, test } from 'vitest';
import { crossings, findCycle } from './check-imports.ts';

const at = (file: string, text: string) => crossings('/project', file, text).map((crossing) => crossing.why);

test('reports a forbidden import with its line', () => {
  const text = "import { a } from '#core/a.ts';\nimport { b } from '#store/b.ts';\n";
  expect(crossings('/project', 'src/flows/x.ts', text)).toEqual([
    {
      file: 'src/flows/x.ts',
      line: 2,
      specifier: '#store/b.ts',
      why: 'flows imports only types of store, by import type',
    },
  ]);
});

test.each([
  ['src/core/x.ts', "import fs from 'node:fs';", 'core may not use the package node:fs'],
  ['src/core/x.ts', "export * from '#flows/y.ts';", 'core may not import flows'],
  ['src/core/x.ts', "const y = await import('#flows/y.ts');", 'core may not import flows'],
  ['src/api/x.ts', "import { test } from 'vitest';", 'only tests use a test framework'],
  ['src/api/x.ts', "import { a } from '@tallybridge/sandbox';", 'only main and tests use the sandbox'],
  ['packages/sandbox/src/x.ts', "import type { A } from '#core/a.ts';", 'a package imports nothing of the product'],
  ['src/core/x.ts', "import type { A } from '#store/a.ts';", 'core may not import store'],
  ['src/connectors/x.ts', "import type { A } from '#store/a.ts';", 'connectors may not import store'],
  ['src/api/x.ts', "import { type A } from '#store/a.ts';", 'api imports only types of store, by import type'],
  ['src/worker/x.ts', "await import('#store/a.ts');", 'worker imports only types of store, by import type'],
  ['src/flows/x.ts', "export type { A } from '#store/a.ts';", 'flows imports only types of store, by import type'],
  ['src/web/x.tsx', "import {\n  a,\n} from '#api/a.ts';", 'web may not import api'],
  ['src/web/x.ts', "import { a } from '#contract/jobs.ts';", 'the browser uses only calls and types of the contract'],
  ['src/api/x.ts', "import { a } from '#main/a.ts';", 'no area may import main'],
  ['src/api/x.ts', "import { a } from '#api/a.ts';", 'use a relative path inside an area'],
  ['src/api/x.ts', "import { a } from '../store/a.ts';", 'a relative path may not leave its area'],
  [
    'packages/sandbox/src/x.test.ts',
    "import { a } from '../../../test/a.ts';",
    'a package imports nothing of the product',
  ],
  [
    'src/flows/sync/kinds/x.ts',
    "import type { A } from '../document/a.ts';",
    'in the sync engine, imports go down only',
  ],
  ['src/elsewhere/x.ts', '', 'unknown area “elsewhere”'],
])('reports in %s the source %s', (file, text, why) => {
  expect(at(file, text)).toEqual([why]);
});

test.each([
  'const job = await context.store.readJob(id);',
  'const tenants = await app.store.listTenants();',
  'const found = await (await context.psa()).query(entity, query);',
])('rejects %s in a route', (text) => {
  expect(at('src/api/routes/x.ts', text)).toEqual(['a route calls neither the store nor a service; call a flow']);
  expect(at('src/flows/x.ts', text)).toEqual([]);
});

test('allows the imports of the table, and any in tests', () => {
  expect(at('src/api/routes/x.ts', "import { a } from '#flows/a.ts';\nimport { b } from '../b.ts';")).toEqual([]);
  expect(at('src/web/x.ts', "import { a } from '#contract/calls/jobs.ts';")).toEqual([]);
  expect(at('src/flows/x.ts', "import type { A } from '#store/a.ts';")).toEqual([]);
  expect(at('src/flows/x.test.ts', "import { a } from '#store/a.ts';")).toEqual([]);
  expect(at('src/flows/sync/chunk/x.ts', "import { a } from '../kinds/a.ts';")).toEqual([]);
  expect(at('src/flows/sync/x.ts', "import type { A } from './kinds/a.ts';")).toEqual([]);
});

test('finds a cycle through type imports and across areas', () => {
  const sources = new Map([
    ['src/core/a.ts', "import { low } from './low.ts';"],
    ['src/core/low.ts', ''],
    ['src/flows/b.ts', "import { low } from '#core/low.ts';\nimport type { C } from './c.ts';"],
    ['src/flows/c.ts', "import { b } from '#flows/b.ts';"],
  ]);
  expect(findCycle(sources)).toEqual(['src/flows/b.ts', 'src/flows/c.ts', 'src/flows/b.ts']);
  sources.set('src/flows/c.ts', '');
  expect(findCycle(sources)).toEqual([]);
});
