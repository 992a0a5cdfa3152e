import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RouteDefinition } from '#contract/define.ts';
import { routeNames, routes, type RouteName } from '#contract/routes.ts';
import type { Answered } from '#test/support/api.ts';
import { validCallers, newCallers, rolesOf, type Caller, type Callers } from './callers.ts';
import { personalIdKinds, expectedRejections, sampleAt, idKindAt } from './id-catalogue.ts';
import { createTwoTenants, type TwoTenants } from './second-tenant.ts';
import { knownHeaders, openObjects } from './sample-values.ts';
import { openObjectsOf, requestValuesOf } from './request-values.ts';
import { requestOf, type SampleRequest } from './request.ts';

/**
 * The isolation matrix (reliability reference 2.2): every call, with every kind of caller, and ids of another client in
 * every place. It is generated from the route table, so new calls are included.
 */

const definitionOf = (name: RouteName): RouteDefinition => routes[name];
const isGuarded = (name: RouteName) => definitionOf(name).roles !== 'public';

/** Whether only system administrators may call a route, because it works across clients. */
const isAcrossClients = (name: RouteName): boolean => {
  const { roles } = definitionOf(name);
  return Array.isArray(roles) && !roles.includes('clientadmin');
};

const isRead = (name: RouteName) => definitionOf(name).method === 'GET';

/** Reads come first. Calls that end or delete something run last, and disconnecting a service at the very end. */
const isDestructive = (name: RouteName) =>
  /logout|reset|delete|remove|cancel|suspend|withdraw|revoke|deactivate/i.test(name);
const disconnects = (name: RouteName) => /disconnect/i.test(name);
const phaseOf = (name: RouteName) => (disconnects(name) ? 3 : isRead(name) ? 0 : isDestructive(name) ? 2 : 1);
const orderedNames = routeNames.toSorted((one, other) => phaseOf(one) - phaseOf(other));

describe('the route table', () => {
  test('has a sample or a kind of record for every request value', () => {
    const unclear = routeNames.flatMap((name) => {
      const definition = definitionOf(name);
      return requestValuesOf(definition).flatMap((place) => {
        try {
          sampleAt(name, definition, place);
          return [];
        } catch (error) {
          return [String(error)];
        }
      });
    });
    expect(unclear).toEqual([]);
  });

  test('has only known kinds of ids', () => {
    for (const name of routeNames) {
      const definition = definitionOf(name);
      const places = requestValuesOf(definition).map(({ at }) => at);
      for (const at of definition.tenantIds) {
        expect(places, `${name} ${at}`).toContain(at);
        expect(idKindAt(definition, at), `${name} ${at}`).toBeDefined();
      }
    }
  });

  test('rejects unknown keys except where documented', () => {
    const spots = routeNames.flatMap((name) => openObjectsOf(definitionOf(name)).map((at) => `${name} ${at}`));
    const known = Object.entries(openObjects).flatMap(([name, places]) =>
      Object.keys(places).map((at) => `${name} ${at}`),
    );
    expect(spots.toSorted()).toEqual(known.toSorted());
  });

  test('reads only known headers', () => {
    const folder = join(import.meta.dirname, '..', '..', 'src', 'api');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const read = files
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .flatMap((file) => [
        ...readFileSync(join(folder, file), 'utf8').matchAll(
          /(?<![\w-])headers(?:\??\.)?(?:\[['"`]([\w-]+)['"`]\]|\.(\w+))/g,
        ),
      ])
      .flatMap(([, quoted, plain]) => quoted ?? plain ?? []);
    expect(read.length).toBeGreaterThan(4);
    expect([...new Set(read)].filter((name) => !knownHeaders.includes(name))).toEqual([]);
  });

  test('accepts ids of a client only from users of a client', () => {
    for (const name of routeNames) {
      const definition = definitionOf(name);
      const ofClients = definition.tenantIds.filter((at) => !personalIdKinds.includes(idKindAt(definition, at)));
      if (ofClients.length > 0) expect([name, definition.client]).toEqual([name, 'required']);
    }
  });
});

describe('with two clients', () => {
  let tenants: TwoTenants;
  let callers: Callers;
  let before: Readonly<Record<string, string>>;
  beforeAll(async () => {
    tenants = await createTwoTenants();
    callers = await newCallers(tenants);
    before = await tenants.theirRows();
  }, 120_000);
  afterAll(() => tenants.close());

  let readers = new Map<Caller, string | null>();
  beforeEach(() => {
    readers = new Map();
  });

  /** Returns a token: the same for all reads, a new one for other calls, because some of them end the session. */
  async function tokenFor(name: RouteName, caller: Caller): Promise<string | null> {
    if (!isRead(name)) return caller();
    const token = readers.get(caller) ?? (await caller());
    readers.set(caller, token);
    return token;
  }

  type Named = Readonly<Record<string, readonly string[]>>;

  async function callAs(name: RouteName, caller: Caller, named: Named = {}, more = ''): Promise<Answered> {
    if (!isGuarded(name)) await tenants.resetLoginFailures();
    const { method, address, body } = requestOf(name, definitionOf(name), { ...ownIds(name), ...named });
    const token = await tokenFor(name, caller);
    const whole = more === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${more}`;
    const answer = await tenants.api.call(method, whole, {
      ...(token === null ? {} : { token }),
      ...(body === undefined ? {} : { body }),
    });
    const said = `${answer.text} ${JSON.stringify([...answer.headers])}`;
    if (!isAcrossClients(name)) expect(said, `${name}: marker of the other client`).not.toContain(tenants.canary);
    return answer;
  }

  const ownPlaces = (name: RouteName) => requestValuesOf(definitionOf(name)).map(({ at }) => at);

  /** Calls as a user of the first client, with an override at one place. */
  async function send(
    name: RouteName,
    override?: { readonly at: string; readonly value: unknown },
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answered> {
    if (!isGuarded(name)) await tenants.resetLoginFailures();
    const made = requestOf(name, definitionOf(name), ownIds(name), override);
    const token = await tokenFor(name, callers.validCallers[isAcrossClients(name) ? 'sysadmin' : 'ours']);
    const body = override?.at.startsWith('body') === true ? (made.body ?? bodyWith(override)) : made.body;
    const answer = await tenants.api.call(made.method, made.address, {
      headers,
      ...(token === null ? {} : { token }),
      ...(body === undefined ? {} : { body }),
    });
    if (!isAcrossClients(name)) expect(answer.text, `${name} ${override?.at ?? ''}`).not.toContain(tenants.canary);
    return answer;
  }

  /** Ids of the first client for each place. */
  function ownIds(name: RouteName): Record<string, readonly string[]> {
    const definition = definitionOf(name);
    const ids = Object.fromEntries(
      definition.tenantIds.map((at) => [at, [tenants.ids[idKindAt(definition, at)].ours]]),
    );
    // A review can be posted only once.
    delete ids['body.reviewed'];
    if (name === 'masquerade') return { 'body.client_id': [tenants.ours] };
    // These calls may name any client. An unknown id leaves the matrix's clients unchanged.
    if (['readClient', 'changeClientStatus', 'deleteClient'].includes(name))
      return { 'params.id': [tenants.ids.users.unknown] };
    return ids;
  }

  /** The parts of a response that must be equal for two ids, without the ids. */
  const comparable = ({ status, text, headers }: Answered, sent: readonly string[]) =>
    JSON.stringify([
      status,
      sent.reduce((rest, id) => rest.replaceAll(id, '<id>'), text),
      headers.get('location'),
      headers.getSetCookie().map((line) => line.split('=', 1)[0]),
    ]);

  /** Checks that no transaction was bound to the second client. */
  const expectUnread = (name: string): void =>
    expect([...tenants.api.world.database.boundTenants()], `${name}: transactions of the other client`).not.toContain(
      tenants.theirs,
    );

  /** Checks that the second client's rows are unchanged and no transaction was bound to it. */
  async function expectUnchanged(): Promise<void> {
    expect(await tenants.theirRows(), 'their rows').toEqual(before);
    expectUnread('all calls');
  }

  test('finds the marker when the second client logs in', async () => {
    const { api, theirs, canary, ids } = tenants;
    const token = await api.signIn('admin@contoso-msp.example');
    for (const path of [`/api/my/jobs/${ids.jobs.theirs}`, '/api/my/xrefs', '/api/my/logs?key=', '/api/my']) {
      const whole = path.endsWith('=') ? `${path}${encodeURIComponent(ids.logs.theirs)}` : path;
      const answer = await api.call('GET', whole, { token });
      expect([path, answer.status]).toEqual([path, 200]);
      expect(answer.text, path).toContain(canary);
    }
    for (const [thing, { ours, theirs: foreign }] of Object.entries(ids)) expect(foreign, thing).not.toBe(ours);
    expect(api.world.database.boundTenants()).toContain(theirs);
    // This login changed the rows.
    before = await tenants.theirRows();
  });

  test('answers an invalid session like a missing token, at every call', async () => {
    const [anonymous, ...others] = Object.entries(callers.invalidCallers);
    for (const [index, name] of routeNames.entries()) {
      const answers = new Map<string, string>();
      // JSON calls share one check of the session, so each of them gets every fourth caller in turn.
      const isShared = (definitionOf(name).speaks ?? 'json') === 'json' && isGuarded(name);
      const invalid = others.filter((_, at) => !isShared || at % 4 === index % 4);
      for (const [who, caller] of anonymous === undefined ? [] : [anonymous, ...invalid]) {
        const answer = await callAs(name, caller);
        if (isGuarded(name)) expect([name, who, answer.status]).toEqual([name, who, 401]);
        answers.set(who, comparable(answer, []));
      }
      const [first] = answers.values();
      const differing = [...answers].filter(([, answer]) => answer !== first).map(([who]) => who);
      if (definitionOf(name).speaks !== 'text') expect([name, differing]).toEqual([name, []]);
    }
    await expectUnchanged();
  }, 120_000);

  test('answers another client’s id like an unknown id, in every place', async () => {
    for (const name of orderedNames) {
      const definition = definitionOf(name);
      for (const at of definition.tenantIds) {
        const { ours, theirs, unknown } = tenants.ids[idKindAt(definition, at)];
        for (const who of ['ours', 'masquerading'] as const)
          for (const before of at.includes('[]') ? [[], [ours]] : [[]]) {
            const foreign = await callAs(name, callers.validCallers[who], { [at]: [...before, theirs] });
            const nothing = await callAs(name, callers.validCallers[who], { [at]: [...before, unknown] });
            expect([name, at, who, comparable(foreign, [theirs])]).toEqual([
              name,
              at,
              who,
              comparable(nothing, [unknown]),
            ]);
            expect([name, at, who, foreign.status]).toEqual([name, at, who, 404]);
          }
      }
      expectUnread(name);
    }
    await expectUnchanged();
  }, 120_000);

  test('allows each call only to the roles in the contract, never reads or changes another client, and logs each change of access', async () => {
    const changing = new Set<RouteName>();
    let access = await tenants.access();
    for (const name of orderedNames) {
      const { roles, client, event } = definitionOf(name);
      let isDone = false;
      for (const who of validCallers) {
        const answer = await callAs(name, callers.validCallers[who]);
        const isAllowed =
          roles === 'public' ||
          ((roles === 'any' || roles.some((role) => rolesOf[who].includes(role))) &&
            !(client === 'required' && who === 'sysadmin'));
        const cell = [name, who];
        const accessAfter = await tenants.access();
        if (accessAfter !== access) {
          changing.add(name);
          expect([...cell, event]).not.toEqual([...cell, undefined]);
        }
        access = accessAfter;
        expect(answer.status, `${cell.join(' ')}: ${answer.text.slice(0, 200)}`).not.toBe(500);
        if (!isAllowed) expect([...cell, answer.status]).toEqual([...cell, 403]);
        else if (roles !== 'public' && who !== 'suspended' && who !== 'without roles') {
          const isExpected =
            (answer.status >= 200 && answer.status < 400) ||
            expectedRejections[name]?.includes(answer.status) === true ||
            // A deleted record is not found again.
            (isDone && phaseOf(name) > 1 && [404, 409].includes(answer.status));
          expect(isExpected, `${cell.join(' ')} was rejected: ${answer.status} ${answer.text.slice(0, 300)}`).toBe(
            true,
          );
          isDone = true;
        }
      }
      expectUnread(name);
    }
    expect(changing.size).toBeGreaterThan(10);
    await expectUnchanged();
  }, 120_000);

  test('rejects extra keys that name another client', async () => {
    const { theirs } = tenants;
    for (const name of routeNames.filter(isGuarded)) {
      for (const extra of ['client_id', 'tenant_id']) {
        const answer = await callAs(name, callers.validCallers.ours, {}, `${extra}=${theirs}`);
        expect([name, extra, answer.status < 400]).toEqual([name, extra, false]);
        if (definitionOf(name).method === 'GET' || ownPlaces(name).includes(`body.${extra}`)) continue;
        const body = await send(name, { at: `body.${extra}`, value: theirs });
        expect([name, extra, body.status < 400]).toEqual([name, extra, false]);
      }
    }
    await expectUnchanged();
  }, 300_000);

  test('ignores another client’s id in free text', async () => {
    let asked = 0;
    for (const name of orderedNames) {
      const definition = definitionOf(name);
      if (definition.client !== 'required' || definition.speaks === 'events') continue;
      const free = requestValuesOf(definition).filter(({ at, isText }) => isText && !definition.tenantIds.includes(at));
      for (const [place, { at }] of free.entries())
        for (const [index, { theirs, unknown }] of Object.values(tenants.ids).entries()) {
          // A change has many places of the same kind, so the ids take turns there.
          if (!isRead(name) && index !== place % Object.values(tenants.ids).length) continue;
          if (!isAccepted(definition, requestOf(name, definition, ownIds(name), { at, value: theirs }))) continue;
          const foreign = await send(name, { at, value: theirs });
          asked += 1;
          // A repeated write may answer differently, a read may not.
          if (!isRead(name)) continue;
          const nothing = await send(name, { at, value: unknown });
          expect([name, at, comparable(foreign, [theirs])]).toEqual([name, at, comparable(nothing, [unknown])]);
        }
      expectUnread(name);
    }
    await expectUnchanged();
    expect(asked).toBeGreaterThan(150);
  }, 300_000);

  test('ignores another client’s id in headers', async () => {
    const names = [
      'x-client-id',
      'x-client',
      'x-tenant-id',
      'x-subscription-id',
      'x-user-id',
      'x-on-behalf-of',
      'referer',
    ];
    for (const name of orderedNames.filter(isGuarded)) {
      const { theirs } = tenants;
      // Headers for HTTP and login cannot carry an id.
      const own = [
        'authorization',
        'content-length',
        'cookie',
        'host',
        'origin',
        'sec-fetch-site',
        'transfer-encoding',
      ];
      const read = knownHeaders.filter((one) => !own.includes(one));
      const headers = Object.fromEntries([...names, ...read].map((one) => [one, theirs]));
      const answer = await send(name, undefined, headers);
      expect([name, answer.status === 500]).toEqual([name, false]);
      expectUnread(name);
    }
    await expectUnchanged();
  }, 300_000);

  test('accepts or rejects odd values in every place, without a defect', async () => {
    let asked = 0;
    for (const name of orderedNames) {
      const definition = definitionOf(name);
      const caller = callers.validCallers[isAcrossClients(name) ? 'sysadmin' : 'ours'];
      let isOneRejected = false;
      for (const { at } of requestValuesOf(definition))
        for (const value of unusualValues) {
          const isInAddress = !at.startsWith('body');
          if (isInAddress && typeof value !== 'string') continue;
          const made = requestOf(name, definition, ownIds(name), {
            at,
            value: isInAddress ? String(value).toWellFormed() : value,
          });
          // All bodies that the schema rejects take the same way.
          if (!isAccepted(definition, made)) {
            if (isOneRejected) continue;
            isOneRejected = true;
          }
          if (!isGuarded(name)) await tenants.resetLoginFailures();
          const token = definition.roles === 'public' ? null : await tokenFor(name, caller);
          const { status, text } = await tenants.api.call(made.method, made.address, {
            ...(token === null ? {} : { token }),
            ...(made.body === undefined ? {} : { body: made.body }),
          });
          asked += 1;
          const cell = [name, at, JSON.stringify(value).slice(0, 60)];
          expect([...cell, status === 500 ? text : 'no defect']).toEqual([...cell, 'no defect']);
          expect(status, `${cell.join(' ')}: the session is still valid`).not.toBe(token === null ? 0 : 401);
          if (!isAcrossClients(name)) expect(text, cell.join(' ')).not.toContain(tenants.canary);
        }
    }
    expect(asked).toBeGreaterThan(500);
    await expectUnchanged();
  }, 300_000);
});

/** Returns false when the schema rejects the body of a request. */
const isAccepted = ({ body }: RouteDefinition, made: SampleRequest): boolean =>
  body === undefined || body.safeParse(made.body).success;

/** A body with one key, for a call without a body. */
const bodyWith = ({ at, value }: { readonly at: string; readonly value: unknown }) => ({ [at.slice(5)]: value });

/** Values that no form sends (reliability reference 2.3, row 24). */
const unusualValues: readonly unknown[] = [
  "O'Neil' or 1=1 --\\%_{{7*7}}<img src=x onerror=alert(1)>",
  '\u0000\ud800',
  '🧨'.repeat(2_000),
  -1,
  1e308,
  null,
  ['a', ['b']],
  { constructor: { prototype: { isAdmin: true } } },
];
