import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RouteDefinition } from '#contract/define.ts';
import { routeNames, routes, type RouteName } from '#contract/routes.ts';
import type { Answered } from '#test/support/api.ts';
import { insiders, newActors, rolesOf, type Actor, type Actors } from './actors.ts';
import { personalThings, refusedAnyway, sampleAt, thingAt } from './id-catalogue.ts';
import { newTwoTenants, type TwoTenants } from './second-tenant.ts';
import { knownHeaders, loose } from './harmless.ts';
import { looseSpots, requestValuesOf } from './request-values.ts';
import { requestOf } from './request.ts';

/**
 * The isolation matrix (reliability reference 2.2): every call of the contract by every kind of caller, with ids of
 * another client wherever an id can stand. The cells follow from the table of routes; a call that is added is in it.
 */

const definitionOf = (name: RouteName): RouteDefinition => routes[name];
const isGuarded = (name: RouteName) => definitionOf(name).roles !== 'public';

/** Whether only system administrators may call a route: it works across clients by right. */
const isAcrossClients = (name: RouteName): boolean => {
  const { roles } = definitionOf(name);
  return Array.isArray(roles) && !roles.includes('clientadmin');
};

/**
 * Calls that end or take away something come last, so that the others are asked with everything in place; and of these
 * the ones that disconnect a service, without which nothing else can be changed.
 */
const isLast = (name: RouteName) => /logout|reset|delete|remove|cancel|suspend|withdraw|deactivate/i.test(name);
const disconnects = (name: RouteName) => /disconnect/i.test(name);
const turnOf = (name: RouteName) => (disconnects(name) ? 2 : isLast(name) ? 1 : 0);
const inOrder = routeNames.toSorted((one, other) => turnOf(one) - turnOf(other));

describe('the table of routes', () => {
  test('says of every value of every request what it means', () => {
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

  test('names ids of clients only where there is a value, and the matrix knows what they name', () => {
    for (const name of routeNames) {
      const definition = definitionOf(name);
      const places = requestValuesOf(definition).map(({ at }) => at);
      for (const at of definition.tenantIds) {
        expect(places, `${name} ${at}`).toContain(at);
        expect(thingAt(definition, at), `${name} ${at}`).toBeDefined();
      }
    }
  });

  test('takes no key that a schema does not name, but where it is known why', () => {
    const spots = routeNames.flatMap((name) => looseSpots(definitionOf(name)).map((at) => `${name} ${at}`));
    const known = Object.entries(loose).flatMap(([name, places]) => Object.keys(places).map((at) => `${name} ${at}`));
    expect(spots.toSorted()).toEqual(known.toSorted());
  });

  test('is all that the API reads of a request: no header but those that name no client', () => {
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

  test('lets an id of one client be sent only by whoever acts for one', () => {
    for (const name of routeNames) {
      const definition = definitionOf(name);
      const ofClients = definition.tenantIds.filter((at) => !personalThings.includes(thingAt(definition, at)));
      if (ofClients.length > 0) expect([name, definition.client]).toEqual([name, 'required']);
    }
  });
});

describe('between two clients', () => {
  let tenants: TwoTenants;
  let actors: Actors;
  let before: Readonly<Record<string, string>>;
  beforeAll(async () => {
    tenants = await newTwoTenants();
    actors = await newActors(tenants);
    before = await tenants.theirRows();
  }, 120_000);
  afterAll(() => tenants.close());

  type Named = Readonly<Record<string, readonly string[]>>;

  async function ask(name: RouteName, actor: Actor, named: Named = {}, more = ''): Promise<Answered> {
    if (!isGuarded(name)) await tenants.forgetTries();
    const { method, address, body } = requestOf(name, definitionOf(name), { ...ownIds(name), ...named });
    const token = await actor();
    const whole = more === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${more}`;
    const answer = await tenants.api.call(method, whole, {
      ...(token === null ? {} : { token }),
      ...(body === undefined ? {} : { body }),
    });
    const said = `${answer.text} ${JSON.stringify([...answer.headers])}`;
    if (!isAcrossClients(name)) expect(said, `${name}: a mark of the other client`).not.toContain(tenants.canary);
    return answer;
  }

  const ownPlaces = (name: RouteName) => requestValuesOf(definitionOf(name)).map(({ at }) => at);

  /** As somebody of ours, with one thing at a place where the contract has something else, or nothing. */
  async function send(
    name: RouteName,
    odd?: { readonly at: string; readonly value: unknown },
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answered> {
    await tenants.forgetTries();
    const made = requestOf(name, definitionOf(name), ownIds(name), odd);
    const token = await actors.insiders[isAcrossClients(name) ? 'sysadmin' : 'ours']();
    const body = odd?.at.startsWith('body') === true ? (made.body ?? bodyWith(odd)) : made.body;
    const answer = await tenants.api.call(made.method, made.address, {
      headers,
      ...(token === null ? {} : { token }),
      ...(body === undefined ? {} : { body }),
    });
    if (!isAcrossClients(name)) expect(answer.text, `${name} ${odd?.at ?? ''}`).not.toContain(tenants.canary);
    return answer;
  }

  /** Ids of ours at each place that wants one. */
  function ownIds(name: RouteName): Record<string, readonly string[]> {
    const definition = definitionOf(name);
    const ids = Object.fromEntries(definition.tenantIds.map((at) => [at, [tenants.ids[thingAt(definition, at)].ours]]));
    // A review is of certain documents, and sent once: without one the call goes through to its end.
    delete ids['body.reviewed'];
    if (name === 'masquerade') return { 'body.client_id': [tenants.ours] };
    // Another client is named here by right; nobody is, so that the one of the matrix stays.
    if (['readClient', 'changeClientStatus', 'deleteClient'].includes(name))
      return { 'params.id': [tenants.ids.users.unknown] };
    return ids;
  }

  /** The part of an answer that must not differ between two ids: all of it but the ids that were sent. */
  const comparable = ({ status, text, headers }: Answered, sent: readonly string[]) =>
    JSON.stringify([
      status,
      sent.reduce((rest, id) => rest.replaceAll(id, '<id>'), text),
      headers.get('location'),
      headers.getSetCookie().map((line) => line.split('=', 1)[0]),
    ]);

  /** Nothing of theirs was changed, and no transaction ran in their name. */
  async function untouched(name: string): Promise<void> {
    expect(await tenants.theirRows(), `${name}: their rows`).toEqual(before);
    expect([...tenants.api.world.database.boundTenants()], `${name}: transactions for them`).not.toContain(
      tenants.theirs,
    );
  }

  test('they have the same of everything, and the second one would be noticed', async () => {
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
    // This sign-in is theirs and counts as they were.
    before = await tenants.theirRows();
  });

  test('whoever has no session that counts is answered as without a token, at every call', async () => {
    for (const name of routeNames) {
      const answers = new Map<string, string>();
      for (const [who, actor] of Object.entries(actors.outsiders)) {
        const answer = await ask(name, actor);
        if (isGuarded(name)) expect([name, who, answer.status]).toEqual([name, who, 401]);
        answers.set(who, comparable(answer, []));
      }
      const [first] = answers.values();
      const differing = [...answers].filter(([, answer]) => answer !== first).map(([who]) => who);
      if (definitionOf(name).speaks !== 'text') expect([name, differing]).toEqual([name, []]);
    }
    await untouched('all calls');
  }, 120_000);

  test('an id of another client is answered exactly as one that names nothing, wherever it stands', async () => {
    for (const name of inOrder) {
      const definition = definitionOf(name);
      for (const at of definition.tenantIds) {
        const { ours, theirs, unknown } = tenants.ids[thingAt(definition, at)];
        for (const who of ['ours', 'masquerading'] as const)
          for (const before of at.includes('[]') ? [[], [ours]] : [[]]) {
            const foreign = await ask(name, actors.insiders[who], { [at]: [...before, theirs] });
            const nothing = await ask(name, actors.insiders[who], { [at]: [...before, unknown] });
            expect([name, at, who, comparable(foreign, [theirs])]).toEqual([
              name,
              at,
              who,
              comparable(nothing, [unknown]),
            ]);
            expect([name, at, who, foreign.status]).toEqual([name, at, who, 404]);
          }
      }
      await untouched(name);
    }
  }, 120_000);

  test('every call is for those whom the contract names, and shows and touches nothing of another client', async () => {
    for (const name of inOrder) {
      const { roles, client } = definitionOf(name);
      let isDone = false;
      for (const who of insiders) {
        const answer = await ask(name, actors.insiders[who]);
        const isLetIn =
          roles === 'public' ||
          ((roles === 'any' || roles.some((role) => rolesOf[who].includes(role))) &&
            !(client === 'required' && who === 'sysadmin'));
        const cell = [name, who];
        expect(answer.status, `${cell.join(' ')}: ${answer.text.slice(0, 200)}`).not.toBe(500);
        if (!isLetIn) expect([...cell, answer.status]).toEqual([...cell, 403]);
        else if (roles !== 'public' && who !== 'suspended' && who !== 'without roles') {
          const isFine =
            (answer.status >= 200 && answer.status < 400) ||
            refusedAnyway[name]?.includes(answer.status) === true ||
            // A record that one call has taken away is not found by the next one.
            (isDone && turnOf(name) > 0 && [404, 409].includes(answer.status));
          expect(isFine, `${cell.join(' ')} was refused: ${answer.status} ${answer.text.slice(0, 300)}`).toBe(true);
          isDone = true;
        }
      }
      await untouched(name);
    }
  }, 120_000);

  test('another client cannot be smuggled in beside what the contract takes', async () => {
    const { theirs } = tenants;
    for (const name of routeNames.filter(isGuarded)) {
      for (const extra of ['client_id', 'tenant_id', 'subscription_id', 'client[id]']) {
        const answer = await ask(name, actors.insiders.ours, {}, `${extra}=${theirs}`);
        expect([name, extra, answer.status < 400]).toEqual([name, extra, false]);
        if (definitionOf(name).method === 'GET' || ownPlaces(name).includes(`body.${extra}`)) continue;
        const body = await send(name, { at: `body.${extra}`, value: theirs });
        expect([name, extra, body.status < 400]).toEqual([name, extra, false]);
      }
    }
    await untouched('all calls');
  }, 300_000);

  test('an id of another client tells and touches nothing in a place that is free, whatever it is meant for', async () => {
    let asked = 0;
    const isRead = (name: RouteName) => definitionOf(name).method === 'GET';
    // Writes by way of trial stand in our own trail, so reads come first.
    for (const name of [...inOrder.filter(isRead), ...inOrder.filter((one) => !isRead(one))]) {
      const definition = definitionOf(name);
      if (definition.client !== 'required' || definition.speaks === 'events') continue;
      const free = requestValuesOf(definition).filter(({ at, isText }) => isText && !definition.tenantIds.includes(at));
      for (const { at } of free)
        for (const { theirs, unknown } of Object.values(tenants.ids)) {
          const foreign = await send(name, { at, value: theirs });
          asked += 1;
          // A write answers differently the second time; a read must not.
          if (!isRead(name)) continue;
          const nothing = await send(name, { at, value: unknown });
          expect([name, at, comparable(foreign, [theirs])]).toEqual([name, at, comparable(nothing, [unknown])]);
        }
      await untouched(name);
    }
    expect(asked).toBeGreaterThan(150);
  }, 300_000);

  test('an id of another client tells and touches nothing in a header', async () => {
    const names = [
      'x-client-id',
      'x-client',
      'x-tenant-id',
      'x-subscription-id',
      'x-user-id',
      'x-on-behalf-of',
      'referer',
    ];
    for (const name of inOrder.filter(isGuarded)) {
      const { theirs } = tenants;
      // Headers that HTTP itself needs, or that sign in, are no place for an id.
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
      await untouched(name);
    }
  }, 300_000);

  test('whatever stands at any place of any request is taken or refused, and never a defect', async () => {
    let asked = 0;
    for (const name of inOrder) {
      const definition = definitionOf(name);
      const actor = actors.insiders[isAcrossClients(name) ? 'sysadmin' : 'ours'];
      for (const { at } of requestValuesOf(definition))
        for (const value of oddValues) {
          const isInAddress = !at.startsWith('body');
          if (isInAddress && typeof value !== 'string') continue;
          const made = requestOf(name, definition, ownIds(name), {
            at,
            value: isInAddress ? String(value).toWellFormed() : value,
          });
          if (!isGuarded(name)) await tenants.forgetTries();
          const token = definition.roles === 'public' ? null : await actor();
          const { status, text } = await tenants.api.call(made.method, made.address, {
            ...(token === null ? {} : { token }),
            ...(made.body === undefined ? {} : { body: made.body }),
          });
          asked += 1;
          const cell = [name, at, JSON.stringify(value).slice(0, 60)];
          expect([...cell, status === 500 ? text : 'no defect']).toEqual([...cell, 'no defect']);
          expect(status, `${cell.join(' ')}: the session still counts`).not.toBe(token === null ? 0 : 401);
          if (!isAcrossClients(name)) expect(text, cell.join(' ')).not.toContain(tenants.canary);
        }
    }
    expect(asked).toBeGreaterThan(500);
    await untouched('all calls');
  }, 300_000);
});

/** A body of one key, for a call that takes none. */
const bodyWith = ({ at, value }: { readonly at: string; readonly value: unknown }) => ({ [at.slice(5)]: value });

/** Values that no form sends (reliability reference 2.3, row 24). */
const oddValues: readonly unknown[] = [
  "O'Neil' or 1=1 --\\%_{{7*7}}<img src=x onerror=alert(1)>",
  '\u0000\ud800',
  '🧨'.repeat(2_000),
  -1,
  1e308,
  null,
  ['a', ['b']],
  { constructor: { prototype: { isAdmin: true } } },
];
