import type { Finding } from './checker.ts';
import {
  creationsOf,
  isInQuickBooks,
  isReferenced,
  lockedOut,
  creationsFor,
  rowsOf,
  sourceOf,
  wasAbandoned,
  quickbooksWrites,
} from './documents.ts';
import type { JournalEntry } from '../support/world.ts';
import type { Evidence, Row } from './evidence.ts';

const documentOf = (row: Row): string => `${String(row['kind'] ?? row['type'])} ${String(row['psa_id'])}`;

/** Documents that a restored ledger adopted from QuickBooks (decision 18). */
const adoptedRows = (evidence: Evidence): readonly Row[] =>
  rowsOf(evidence, 'postings').filter((row) => String(row['request_id']).startsWith('adopted '));

const adoptedOnes = (evidence: Evidence): ReadonlySet<string> =>
  new Set(adoptedRows(evidence).map((row) => String(row['target_id'])));

/** Log rows of attempts. Adopted documents have none. */
const loggedAttempts = (evidence: Evidence): readonly Row[] =>
  rowsOf(evidence, 'logs').filter((row) => !String(row['message']).startsWith('Recorded: '));

/** I4: Each ended attempt has a log row, and a change of company is in the audit log. */
export function logIsComplete(evidence: Evidence): Finding[] {
  const found: Finding[] = [];
  const key = (row: Row, mode: unknown): string => `${documentOf(row)} ${String(mode)}`;
  const ended = Map.groupBy(
    rowsOf(evidence, 'attempts').filter((row) => row['is_ended'] === true),
    (row) => key(row, row['mode']),
  );
  const logged = Map.groupBy(loggedAttempts(evidence), (row) => key(row, row['is_test'] === true ? 'test' : 'live'));
  for (const name of new Set([...ended.keys(), ...logged.keys()])) {
    const [attempts, rows] = [ended.get(name)?.length ?? 0, logged.get(name)?.length ?? 0];
    if (attempts !== rows) found.push({ document: name, problem: `${attempts} attempts ended, ${rows} log rows` });
  }
  for (const row of rowsOf(evidence, 'connections')) {
    const changes = evidence.parties.filter(({ tenantId }) => tenantId === row['tenant_id']).length - 1;
    const logged = rowsOf(evidence, 'audit_events').filter(
      ({ action, after }) => action === 'connection.made' && JSON.stringify(after).includes(String(row['name'])),
    );
    if (row['service'] === 'accounting' && logged.length < changes)
      found.push({ document: null, problem: `the audit log does not name who connected “${String(row['name'])}”` });
  }
  return found;
}

/** I4: The ledger has each request that created a document, and the last log row of a document is true. */
export function ledgerIsComplete(evidence: Evidence): Finding[] {
  const found: Finding[] = [];
  const known = new Set(rowsOf(evidence, 'postings').map((row) => row['request_id']));
  const adopted = adoptedOnes(evidence);
  for (const { answer, requestId, entry } of quickbooksWrites(evidence)) {
    const source = answer === undefined ? null : sourceOf(answer);
    // Batched writes carry the id of their batch.
    if (
      source !== null &&
      entry.applied &&
      !requestId.includes(':') &&
      !known.has(requestId) &&
      !adopted.has(String(answer?.['Id']))
    )
      found.push({
        document: `${source.kind} ${source.psaId}`,
        problem: `created by request ${requestId.slice(0, 8)}…, which is not in the ledger`,
      });
  }
  const creations = creationsOf(evidence);
  for (const expected of evidence.expected) {
    if (expected.end !== 'done' || lockedOut(evidence).size > 0) continue;
    const rows = rowsOf(evidence, 'logs').filter(
      (row) => row['type'] === expected.kind && row['psa_id'] === expected.psaId && row['is_test'] === false,
    );
    const last = [...rows].sort((a, b) => Number(a['seq']) - Number(b['seq'])).at(-1);
    if (creationsFor(creations, expected).length > 0 && last?.['success'] !== true)
      found.push({
        document: `${expected.kind} ${expected.psaId}`,
        problem: 'in QuickBooks, but the last log row says otherwise',
      });
  }
  return found;
}

/** I6: Each request uses the company and the access of the same client, and no row joins two clients. */
export function tenantsAreApart(evidence: Evidence): Finding[] {
  const { parties, journal } = evidence;
  const found: Finding[] = [];
  for (const { path, owner, sequence } of journal.accounting) {
    const realmId = /^\/v3\/company\/([^/]+)/.exec(path)?.[1];
    if (realmId === undefined) continue;
    const isOurs = parties.some((party) => party.realmId === realmId);
    if (!isOurs || (owner !== null && owner !== realmId))
      found.push({ document: null, problem: `request ${sequence} to company ${realmId} used the token of ${owner}` });
  }
  for (const { owner, path, sequence } of journal.psa)
    if (owner !== null && !parties.some((party) => party.user === owner))
      found.push({ document: null, problem: `request ${sequence} to ${path} was sent by ${owner}` });
  const creations = creationsOf(evidence);
  for (const row of rowsOf(evidence, 'postings')) {
    if (row['target_id'] === null || row['kind'] === 'void') continue;
    const named = creations.filter(({ id, source }) => id === row['target_id'] && source?.psaId === row['psa_id']);
    const isOwn = ({ realmId }: (typeof named)[number]): boolean =>
      parties.some((party) => party.tenantId === row['tenant_id'] && party.realmId === realmId);
    if (named.length > 0 && !named.some(isOwn))
      found.push({
        document: documentOf(row),
        problem: `client ${String(row['tenant_id'])} has a document of another company`,
      });
  }
  for (const expected of evidence.expected)
    for (const { realmId, entity, id } of creationsFor(creations, expected))
      if (expected.realmId !== undefined && realmId !== expected.realmId)
        found.push({
          document: `${expected.kind} ${expected.psaId}`,
          problem: `${entity} ${id} was created in company ${realmId}, but belongs to another company`,
        });
  const tenantOf = new Map(rowsOf(evidence, 'jobs').map((row) => [row['id'], row['tenant_id']]));
  for (const row of rowsOf(evidence, 'attempts'))
    if (row['job_id'] !== null && tenantOf.get(row['job_id']) !== row['tenant_id'])
      found.push({ document: documentOf(row), problem: 'its job belongs to another client' });
  return found;
}

/** Published limits of concurrent requests, per company and per Autotask entity. */
const maxConcurrent = { accounting: 10, psa: 3 } as const;
const retryAfterSeconds = 60;

/**
 * I7: Concurrency limits are respected, no request is sent before the requested delay, and no request is rate limited.
 */
export function limitsAreRespected({ journal }: Evidence): Finding[] {
  const found: Finding[] = [];
  const groups = {
    accounting: Map.groupBy(journal.accounting, ({ path }) => /^\/v3\/company\/([^/]+)/.exec(path)?.[1] ?? ''),
    psa: Map.groupBy(journal.psa, ({ path, owner }) => `${owner} ${path.split('/')[3] ?? ''}`),
  };
  for (const service of ['accounting', 'psa'] as const)
    for (const [name, requests] of groups[service]) {
      if (name === '' || name.endsWith(' zoneInformation')) continue;
      const peak = peakOf(requests);
      if (peak > maxConcurrent[service])
        found.push({ document: null, problem: `${peak} concurrent requests to ${service} ${name}` });
      let waitsUntil = 0;
      for (const { time, status, sequence, fault } of requests) {
        const at = Date.parse(time);
        if (at < waitsUntil)
          found.push({ document: null, problem: `request ${sequence} to ${service} was sent too early` });
        // A planted limit only delays.
        if (status === 429 && fault === null) {
          waitsUntil = at + retryAfterSeconds * 1_000;
          found.push({ document: null, problem: `request ${sequence} to ${service} ${name} was rate limited` });
        }
      }
    }
  return found;
}

function peakOf(requests: readonly JournalEntry[]): number {
  const moments = requests
    .flatMap(({ time, duration_ms: length }): [number, number][] => [
      [Date.parse(time), 1],
      [Date.parse(time) + length, -1],
    ])
    .sort(([a, first], [b, second]) => a - b || first - second);
  let now = 0;
  let peak = 0;
  for (const [, change] of moments) peak = Math.max(peak, (now += change));
  return peak;
}

const isWriteToPsa = ({ method, path }: JournalEntry): boolean => method !== 'GET' && !/\/query(\/count)?$/.test(path);

/** I8: A flow with only test syncs sends no write to either service. */
export function testWritesNothing(evidence: Evidence): Finding[] {
  if (evidence.expected.length === 0 || !evidence.expected.every(({ end }) => end === 'simulated')) return [];
  const writes = [
    ...quickbooksWrites(evidence).map(({ entry }) => entry),
    ...evidence.journal.psa.filter((one) => isWriteToPsa(one)),
  ];
  return writes.map(({ method, path }) => ({ document: null, problem: `a test sync sent ${method} ${path}` }));
}

/** I9: All work ended, except where an administrator must reconnect first, and finished jobs count all documents. */
export function allWorkEnds(evidence: Evidence): Finding[] {
  const excused = lockedOut(evidence);
  const open = (row: Row): boolean => !excused.has(row['tenant_id']);
  return [
    ...rowsOf(evidence, 'attempts')
      .filter((row) => row['is_ended'] !== true && row['mode'] === 'live' && open(row))
      .map((row) => ({ document: documentOf(row), problem: `still ${String(row['state'])}` })),
    ...rowsOf(evidence, 'jobs')
      .filter((row) => (row['status'] === 'queued' || row['status'] === 'running') && open(row))
      .map((row) => ({ document: null, problem: `job ${String(row['id'])} is ${String(row['status'])}` })),
    ...rowsOf(evidence, 'jobs')
      .filter((row) => row['status'] === 'finished' && row['total'] !== null && row['done'] !== row['total'])
      .map((row) => ({
        document: null,
        problem: `job ${String(row['id'])} ended as ${String(row['done'])} of ${String(row['total'])}`,
      })),
    ...rowsOf(evidence, 'leases')
      .filter((row) => row['owner'] !== null)
      .map((row) => ({ document: null, problem: `${String(row['owner'])} holds the lease` })),
  ];
}

/** I10: One refresh at a time, the newest tokens are stored, and no secret is readable. */
export function tokensAreSafe(evidence: Evidence): Finding[] {
  const found: Finding[] = [];
  const tokenCalls = evidence.journal.accounting.filter(({ path }) => path.endsWith('/tokens/bearer'));
  const refreshes = tokenCalls.filter(({ request_body: body }) => body.includes('grant_type=refresh_token'));
  const used = Map.groupBy(refreshes, ({ request_body: body }) => new URLSearchParams(body).get('refresh_token') ?? '');
  for (const [token, calls] of used) {
    if (peakOf(calls) > 1) found.push({ document: null, problem: `two concurrent refreshes of ${token.slice(0, 8)}…` });
    const refused = calls.filter(({ status }) => status === 400).length;
    // With strict rotation a lost response cannot be fetched again, so retries do not help (row A2).
    if (refused > 2 + evidence.deaths)
      found.push({ document: null, problem: `a lost token was tried ${refused} times` });
  }
  const answered = tokenCalls.filter(({ status }) => status === 200 || status === null).map(refreshTokenOf);
  const excused = lockedOut(evidence);
  for (const { tenantId } of evidence.parties) {
    const stored = evidence.stored[tenantId] ?? null;
    const isNewest = answered.length === 0 || stored === answered.at(-1);
    // A process that died before it saved new tokens may lose them, unless they were already used.
    const mayBeLost = evidence.deaths > 0 || tokenCalls.some(({ fault }) => fault !== null);
    const isLost = mayBeLost && answered.includes(stored) && !wereNewestTokensUsed(evidence);
    if (stored !== null && evidence.parties.length === 1 && !isNewest && !isLost)
      found.push({ document: null, problem: 'the stored refresh token is older than the newest one' });
    if (excused.has(tenantId) && isNewest)
      found.push({ document: null, problem: 'the client must reconnect, although the stored tokens are the newest' });
  }
  const open: [string, string][] = [
    ['the output', evidence.output],
    [
      'addresses',
      evidence.journal.accounting
        .concat(evidence.journal.psa)
        .map(({ path, query }) => path + query)
        .join('\n'),
    ],
    ['requests to Autotask', evidence.journal.psa.map(({ request_body: body }) => body).join('\n')],
    ...Object.entries(evidence.tables).map(([name, rows]): [string, string] => [`table ${name}`, JSON.stringify(rows)]),
  ];
  for (const [place, text] of open)
    for (const secret of evidence.secrets)
      if (secret !== '' && text.includes(secret))
        found.push({ document: null, problem: `${secret.slice(0, 4)}… is readable in ${place}` });
  return found;
}

/** Returns whether the newest tokens were used for a call. */
function wereNewestTokensUsed({ journal }: Evidence): boolean {
  const newest = journal.accounting.findLast(({ path, status }) => path.endsWith('/tokens/bearer') && status === 200);
  return journal.accounting.some(
    ({ path, status, sequence }) => path.startsWith('/v3/') && status === 200 && sequence > (newest?.sequence ?? 0),
  );
}

function refreshTokenOf({ response_body: text }: JournalEntry): string | null {
  const token = /"refresh_token":"([^"]+)"/.exec(text)?.[1];
  return token ?? null;
}

const allowed: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  attempt: {
    '': ['planning'],
    planning: ['planning', 'posting', 'refusing', 'done', 'simulated', 'skipped', 'refused', 'postponed'],
    posting: ['posting', 'unsure', 'posted', 'refusing', 'skipped', 'refused', 'postponed'],
    unsure: ['unsure', 'posting', 'posted', 'refusing', 'refused', 'postponed'],
    posted: ['posted', 'done', 'refused'],
    refusing: ['refusing', 'refused'],
  },
  posting: {
    '': ['sending'],
    sending: ['sending', 'unconfirmed', 'refused'],
    unconfirmed: ['unconfirmed', 'synced', 'superseded', 'voided', 'deleted_in_accounting'],
    synced: ['synced', 'superseded', 'voided', 'deleted_in_accounting'],
    superseded: ['superseded', 'voided', 'deleted_in_accounting'],
    voided: ['voided', 'deleted_in_accounting'],
    deleted_in_accounting: ['deleted_in_accounting'],
    refused: ['refused'],
  },
};

/** I11: Attempts and postings only make allowed transitions, and end states are final. */
export function statesMoveForward(evidence: Evidence): Finding[] {
  const isAdopted = new Set(adoptedRows(evidence).map((row) => row['id']));
  return rowsOf(evidence, 'history').flatMap((row): Finding[] => {
    const [what, was, became] = [row['what'], row['was'], row['became']].map((one) => String(one ?? ''));
    // An adopted document is already in QuickBooks, so it starts as synced.
    if (what === 'posting' && was === '' && became === 'synced' && isAdopted.has(row['id'])) return [];
    const steps = allowed[what ?? '']?.[was ?? ''] ?? [];
    return steps.includes(became ?? '')
      ? []
      : [{ document: null, problem: `${what} went from “${was}” to “${became}”` }];
  });
}

/** I12: A command is sent at most once, plus once per crashed process and per failed call. */
export function sendsAreLimited(evidence: Evidence): Finding[] {
  const found: Finding[] = [];
  const sends = Map.groupBy(quickbooksWrites(evidence), ({ requestId }) => requestId);
  for (const [requestId, calls] of sends)
    if (calls.length > 1 + evidence.deaths + calls.filter(({ entry }) => entry.fault !== null).length)
      found.push({ document: null, problem: `request id ${requestId.slice(0, 8)}… was sent ${calls.length} times` });
  return found;
}

/** I12: Attempts and log rows do not accumulate. */
export function rowsAreLimited(evidence: Evidence): Finding[] {
  const found: Finding[] = [];
  const attempts = Map.groupBy(rowsOf(evidence, 'attempts'), documentOf);
  for (const [document, rows] of attempts) {
    const times = evidence.expected.find(({ kind, psaId }) => `${kind} ${psaId}` === document)?.times ?? 0;
    if (rows.length > Math.max(1, times) + evidence.deaths + 2)
      found.push({ document, problem: `${rows.length} attempts` });
  }
  const [made, logged] = [rowsOf(evidence, 'attempts').length, loggedAttempts(evidence).length];
  if (logged > made + 1) found.push({ document: null, problem: `${logged} log rows for ${made} attempts` });
  return found;
}

/**
 * I14: Unknown outcomes are shown as pending, success only for documents in QuickBooks, and failure only for others.
 */
export function outcomesAreTrue(evidence: Evidence): Finding[] {
  const found: Finding[] = [];
  const creations = creationsOf(evidence);
  const jobs = new Map(rowsOf(evidence, 'jobs').map((row) => [row['id'], row]));
  const underWay = new Set(
    rowsOf(evidence, 'attempts')
      .filter((row) => row['is_ended'] !== true && row['mode'] === 'live')
      .map((row) => `${String(row['job_id'])} ${String(row['psa_id'])}`),
  );
  for (const row of rowsOf(evidence, 'job_results')) {
    const job = jobs.get(row['job_id']);
    const kind = evidence.expected.find((one) => one.kind === job?.['kind'])?.kind;
    if (job === undefined || kind === undefined || !isReferenced(kind) || job['mode'] !== 'live') continue;
    const document = `${kind} ${String(row['psa_id'])}`;
    const made = creationsFor(creations, { kind, psaId: Number(row['psa_id']) });
    const report = (text: string) => found.push({ document, problem: text });
    if (underWay.has(`${String(row['job_id'])} ${String(row['psa_id'])}`)) {
      if (row['outcome'] !== 'pending') report(`shown as ${String(row['outcome'])} while in progress`);
    } else if (row['outcome'] === 'succeeded' && made.length === 0) report('shown as succeeded, but not in QuickBooks');
    else if (
      row['outcome'] === 'failed' &&
      made.length > 0 &&
      !wasRefusedTwice(evidence, Number(row['psa_id'])) &&
      !evidence.expected.some(
        (one) =>
          one.kind === kind && one.psaId === row['psa_id'] && (one.isAnother === true || wasAbandoned(evidence, one)),
      )
    )
      report('shown as failed, but in QuickBooks');
  }
  for (const row of rowsOf(evidence, 'postings')) {
    const isMade = creations.some(({ source }) => source?.kind === row['kind'] && source?.psaId === row['psa_id']);
    const generations = rowsOf(evidence, 'postings').filter(
      (one) => one['kind'] === row['kind'] && one['psa_id'] === row['psa_id'],
    );
    if (row['status'] === 'refused' && isMade && generations.length === 1)
      found.push({ document: documentOf(row), problem: 'refused in the ledger, but it is in QuickBooks' });
    if (
      ['unconfirmed', 'synced'].includes(String(row['status'])) &&
      row['kind'] !== 'void' &&
      !isMade &&
      !isInQuickBooks(evidence, row)
    )
      found.push({
        document: documentOf(row),
        problem: `${String(row['status'])} in the ledger, but not in QuickBooks`,
      });
  }
  return found;
}

/** A refused second document is a failure, although QuickBooks has the first. */
const wasRefusedTwice = (evidence: Evidence, psaId: number): boolean =>
  rowsOf(evidence, 'postings').filter((row) => row['psa_id'] === psaId).length > 1;
