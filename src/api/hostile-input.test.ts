import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { RouteDefinition } from '#contract/define.ts';
import { routeNames, routes } from '#contract/routes.ts';
import { newApi, people } from '#test/support/api.ts';

const tokens = { admin: '', sysadmin: '' };
const api = await newApi();
tokens.admin = await api.signIn(people.admin);
tokens.sysadmin = await api.signIn(people.sysadmin);
afterAll(() => api.close());

const hostileText = fc.constantFrom(
  '',
  ' ',
  '0',
  '1',
  'invoice',
  'test',
  '-1',
  '1e309',
  'true',
  'null',
  "' OR 1=1 --",
  '%00',
  '\0',
  '\u{d800}',
  '{{7*7}}',
  '__proto__',
  '../../etc/passwd',
  '00000000-0000-4000-8000-000000000000',
  '2025-03-03',
  '9'.repeat(400),
  '🧨'.repeat(300),
);
const hostileValue = fc.oneof(
  hostileText,
  fc.constantFrom(0, -1, 1.5, 2 ** 53, -0, 1e300, true, false, null),
  fc.array(hostileText, { maxLength: 3 }),
  fc.jsonValue({ maxDepth: 3 }),
);

const keysOf = (schema: z.ZodType | undefined): readonly string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

/** An object with some keys of a schema, and sometimes an unknown key. */
const near = <T>(schema: z.ZodType | undefined, value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> => {
  const keys = keysOf(schema);
  return fc.dictionary(fc.constantFrom(...keys, ...keys, ...keys, ...keys, 'unheard'), value, { maxKeys: 3 });
};

const json = (value: unknown): string => JSON.stringify(value, (_, one: unknown) => (Object.is(one, -0) ? 0 : one));

test('no input to any call causes a server error', async () => {
  const names = routeNames.filter((name) => name !== 'logout');
  const request = fc.constantFrom(...names).chain((name) => {
    const definition: RouteDefinition = routes[name];
    return fc.record({
      definition: fc.constant(definition),
      path: fc
        .array(hostileText, { minLength: 1, maxLength: 1 })
        .chain(([text = '']) =>
          fc
            .boolean()
            .map((isHostile) =>
              definition.path.replace(/:\w+/g, isHostile ? encodeURIComponent(text.toWellFormed()) : 'invoices'),
            ),
        ),
      query: near(definition.query, hostileText),
      body: fc.oneof(near(definition.body, hostileValue), fc.jsonValue({ maxDepth: 4 })),
    });
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ definition, path, query, body }) => {
      const { roles, method } = definition;
      const token =
        roles !== 'any' && roles !== 'public' && !roles.includes('clientadmin') ? tokens.sysadmin : tokens.admin;
      const search = new URLSearchParams(query).toString();
      const answer = await api.call(method, search === '' ? path : `${path}?${search}`, {
        token,
        ...(method === 'GET' ? {} : { body: json(body) }),
      });
      expect([method, path, search, json(body), answer.status === 500 ? answer.text : 'fine']).toEqual([
        method,
        path,
        search,
        json(body),
        'fine',
      ]);
    }),
    { seed: 20_250_303, numRuns: 1_000, endOnFailure: true },
  );
}, 120_000);
