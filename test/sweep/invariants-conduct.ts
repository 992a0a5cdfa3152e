import type { Finding } from './checker.ts';
import {
  creationsOf,
  isReferenced,
  lockedOut,
  madeFor,
  rowsOf,
  sourceOf,
  wasLeft,
  writesToBooks,
} from './documents.ts';
import type { Evidence, JournalEntry, Row } from './evidence.ts';

const documentOf = (row: Row): string => `${String(row['kind'] ?? row['type'])} ${String(row['psa_id'])}`;

/** Documents that a restored ledger took from the books (decision 19). */
const adoptedRows = (evidence: Evidence): readonly Row[] =>
  rowsOf(evidence, 'postings').filter((row) => String(row['request_id']).startsWith('adopted '));

/** Their ids in the books. */
const adoptedOnes = (evidence: Evidence): ReadonlySet<string> =>
  new Set(adoptedRows(evidence).map((row) => String(row['target_id'])));

/** Rows of the log that are the end of an attempt: a document that was taken in has none. */
const loggedAttempts = (evidence: Evidence): readonly Row[] =>
  rowsOf(evidence, 'logs').filter((row) => !String(row['message']).startsWith('Taken into our records: '));

/** I4: each attempt that ended has its row in the log, its last word is the truth, and a change of company is told. */
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
    if (attempts !== rows) found.push({ document: name, saw: `${attempts} attempts ended, ${rows} rows in the log` });
  }
  const known = new Set(rowsOf(evidence, 'postings').map((row) => row['request_id']));
  const adopted = adoptedOnes(evidence);
  for (const { answer, requestId, entry } of writesToBooks(evidence)) {
    const source = answer === undefined ? null : sourceOf(answer);
    // Writes that were sent together carry the id of their batch.
    if (
      source !== null &&
      entry.applied &&
      !requestId.includes(':') &&
      !known.has(requestId) &&
      !adopted.has(String(answer?.['Id']))
    )
      found.push({
        document: `${source.kind} ${source.psaId}`,
        saw: `it was made by request ${requestId.slice(0, 8)}…, which the ledger does not know`,
      });
  }
  const creations = creationsOf(evidence);
  for (const asked of evidence.asked) {
    if (asked.end !== 'done' || lockedOut(evidence).size > 0) continue;
    const rows = rowsOf(evidence, 'logs').filter(
      (row) => row['type'] === asked.kind && row['psa_id'] === asked.psaId && row['is_test'] === false,
    );
    const last = [...rows].sort((a, b) => Number(a['seq']) - Number(b['seq'])).at(-1);
    if (madeFor(creations, asked).length > 0 && last?.['success'] !== true)
      found.push({
        document: `${asked.kind} ${asked.psaId}`,
        saw: 'it is in the books, and the last log row says otherwise',
      });
  }
  for (const row of rowsOf(evidence, 'connections')) {
    const changes = evidence.parties.filter(({ tenantId }) => tenantId === row['tenant_id']).length - 1;
    const logged = rowsOf(evidence, 'audit_events').filter(
      ({ action, after }) => action === 'connection.made' && JSON.stringify(after).includes(String(row['name'])),
    );
    if (row['service'] === 'accounting' && logged.length < changes)
      found.push({ document: null, saw: `nothing tells who connected “${String(row['name'])}”` });
  }
  return found;
}

/** I6: each request goes to its own client's company with its own client's access, and no row joins two clients. */
export function tenantsAreApart(evidence: Evidence): Finding[] {
  const { parties, journal } = evidence;
  const found: Finding[] = [];
  for (const { path, owner, sequence } of journal.books) {
    const realmId = /^\/v3\/company\/([^/]+)/.exec(path)?.[1];
    if (realmId === undefined) continue;
    const isOurs = parties.some((party) => party.realmId === realmId);
    if (!isOurs || (owner !== null && owner !== realmId))
      found.push({ document: null, saw: `request ${sequence} to company ${realmId} came with the access of ${owner}` });
  }
  for (const { owner, path, sequence } of journal.psa)
    if (owner !== null && !parties.some((party) => party.user === owner))
      found.push({ document: null, saw: `request ${sequence} to ${path} came as ${owner}` });
  const creations = creationsOf(evidence);
  for (const row of rowsOf(evidence, 'postings')) {
    if (row['target_id'] === null || row['kind'] === 'void') continue;
    const named = creations.filter(({ id, source }) => id === row['target_id'] && source?.psaId === row['psa_id']);
    const isOwn = ({ realmId }: (typeof named)[number]): boolean =>
      parties.some((party) => party.tenantId === row['tenant_id'] && party.realmId === realmId);
    if (named.length > 0 && !named.some(isOwn))
      found.push({
        document: documentOf(row),
        saw: `client ${String(row['tenant_id'])} holds a document of another company`,
      });
  }
  for (const asked of evidence.asked)
    for (const { realmId, entity, id } of madeFor(creations, asked))
      if (asked.realmId !== undefined && realmId !== asked.realmId)
        found.push({
          document: `${asked.kind} ${asked.psaId}`,
          saw: `${entity} ${id} was made in company ${realmId}, where it does not belong`,
        });
  const tenantOf = new Map(rowsOf(evidence, 'jobs').map((row) => [row['id'], row['tenant_id']]));
  for (const row of rowsOf(evidence, 'attempts'))
    if (row['job_id'] !== null && tenantOf.get(row['job_id']) !== row['tenant_id'])
      found.push({ document: documentOf(row), saw: 'its job belongs to another client' });
  return found;
}

/** Published limits: at once per company, at once per entity of the PSA. */
const most = { books: 10, psa: 3 } as const;
const patienceSeconds = 60;

/** I7: never more at once than allowed, nothing before the patience that was asked for, no refusal for our own haste. */
export function polite({ journal }: Evidence): Finding[] {
  const found: Finding[] = [];
  const groups = {
    books: Map.groupBy(journal.books, ({ path }) => /^\/v3\/company\/([^/]+)/.exec(path)?.[1] ?? ''),
    psa: Map.groupBy(journal.psa, ({ path, owner }) => `${owner} ${path.split('/')[3] ?? ''}`),
  };
  for (const service of ['books', 'psa'] as const)
    for (const [name, requests] of groups[service]) {
      if (name === '' || name.endsWith(' zoneInformation')) continue;
      const peak = peakOf(requests);
      if (peak > most[service]) found.push({ document: null, saw: `${peak} requests at once to ${service} ${name}` });
      let waitsUntil = 0;
      for (const { time, status, sequence } of requests) {
        const at = Date.parse(time);
        if (at < waitsUntil)
          found.push({ document: null, saw: `request ${sequence} to ${service} came before its time` });
        if (status === 429) {
          waitsUntil = at + patienceSeconds * 1_000;
          found.push({ document: null, saw: `request ${sequence} to ${service} ${name} was one too many` });
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

/** I8: where only tests were asked for, neither service was asked to change anything. */
export function testWritesNothing(evidence: Evidence): Finding[] {
  if (evidence.asked.length === 0 || !evidence.asked.every(({ end }) => end === 'simulated')) return [];
  const writes = [
    ...writesToBooks(evidence).map(({ entry }) => entry),
    ...evidence.journal.psa.filter((one) => isWriteToPsa(one)),
  ];
  return writes.map(({ method, path }) => ({ document: null, saw: `a test sent ${method} ${path}` }));
}

/** I9: nothing is left under way but where a person has been told to act. */
export function comesToAnEnd(evidence: Evidence): Finding[] {
  const excused = lockedOut(evidence);
  const open = (row: Row): boolean => !excused.has(row['tenant_id']);
  return [
    ...rowsOf(evidence, 'attempts')
      .filter((row) => row['is_ended'] !== true && row['mode'] === 'live' && open(row))
      .map((row) => ({ document: documentOf(row), saw: `still ${String(row['state'])}` })),
    ...rowsOf(evidence, 'jobs')
      .filter((row) => (row['status'] === 'queued' || row['status'] === 'running') && open(row))
      .map((row) => ({ document: null, saw: `job ${String(row['id'])} is ${String(row['status'])}` })),
    ...rowsOf(evidence, 'leases')
      .filter((row) => row['owner'] !== null)
      .map((row) => ({ document: null, saw: `${String(row['owner'])} holds the lease` })),
  ];
}

/** I10: one refresh at a time, what is stored is what was answered last, and no secret stands in the open. */
export function tokenChainHolds(evidence: Evidence): Finding[] {
  const found: Finding[] = [];
  const asked = evidence.journal.books.filter(({ path }) => path.endsWith('/tokens/bearer'));
  const refreshes = asked.filter(({ request_body: body }) => body.includes('grant_type=refresh_token'));
  const used = Map.groupBy(refreshes, ({ request_body: body }) => new URLSearchParams(body).get('refresh_token') ?? '');
  for (const [token, calls] of used) {
    if (peakOf(calls) > 1) found.push({ document: null, saw: `two refreshes of ${token.slice(0, 8)}… at once` });
    const refused = calls.filter(({ status }) => status === 400).length;
    // Strict rotation: the answer is gone, and asking again and again does not bring it back (row A2).
    if (refused > 2 + evidence.deaths) found.push({ document: null, saw: `a lost token was tried ${refused} times` });
  }
  const answered = asked.filter(({ status }) => status === 200 || status === null).map(refreshTokenOf);
  const excused = lockedOut(evidence);
  for (const { tenantId } of evidence.parties) {
    const stored = evidence.stored[tenantId] ?? null;
    const isNewest = answered.length === 0 || stored === answered.at(-1);
    // A process that died between the answer and its saving has lost it; with tokens that were used, nothing may be.
    const isLost = evidence.deaths > 0 && answered.includes(stored) && !wereUsed(evidence);
    if (stored !== null && evidence.parties.length === 1 && !isNewest && !isLost)
      found.push({ document: null, saw: 'the stored refresh token is older than the last one that was answered' });
    if (excused.has(tenantId) && isNewest)
      found.push({ document: null, saw: 'a person is asked to reconnect although the stored access is the newest' });
  }
  const open: [string, string][] = [
    ['what was printed', evidence.printed],
    [
      'addresses',
      evidence.journal.books
        .concat(evidence.journal.psa)
        .map(({ path, query }) => path + query)
        .join('\n'),
    ],
    ['requests to the PSA', evidence.journal.psa.map(({ request_body: body }) => body).join('\n')],
    ...Object.entries(evidence.tables).map(([name, rows]): [string, string] => [`table ${name}`, JSON.stringify(rows)]),
  ];
  for (const [place, text] of open)
    for (const secret of evidence.secrets)
      if (secret !== '' && text.includes(secret))
        found.push({ document: null, saw: `${secret.slice(0, 4)}… stands in the open: ${place}` });
  return found;
}

/** Whether the company was called with the tokens that were answered last. */
function wereUsed({ journal }: Evidence): boolean {
  const newest = journal.books.findLast(({ path, status }) => path.endsWith('/tokens/bearer') && status === 200);
  return journal.books.some(
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
    unconfirmed: ['unconfirmed', 'synced', 'superseded', 'voided', 'deleted_in_books'],
    synced: ['synced', 'superseded', 'voided', 'deleted_in_books'],
    superseded: ['superseded', 'voided', 'deleted_in_books'],
    voided: ['voided', 'deleted_in_books'],
    deleted_in_books: ['deleted_in_books'],
    refused: ['refused'],
  },
};

/** I11: attempts and documents of the ledger take legal steps only; what has ended stays ended. */
export function statesMoveForward(evidence: Evidence): Finding[] {
  const isAdopted = new Set(adoptedRows(evidence).map((row) => row['id']));
  return rowsOf(evidence, 'history').flatMap((row): Finding[] => {
    const [what, was, became] = [row['what'], row['was'], row['became']].map((one) => String(one ?? ''));
    // A document that the ledger had forgotten stands in the books already when it is taken in.
    if (what === 'posting' && was === '' && became === 'synced' && isAdopted.has(row['id'])) return [];
    const steps = allowed[what ?? '']?.[was ?? ''] ?? [];
    return steps.includes(became ?? '') ? [] : [{ document: null, saw: `${what} went from “${was}” to “${became}”` }];
  });
}

/** I12: each command leaves as often as processes died, and once; rows do not pile up. */
export function bounded(evidence: Evidence): Finding[] {
  const found: Finding[] = [];
  const sends = Map.groupBy(writesToBooks(evidence), ({ requestId }) => requestId);
  for (const [requestId, calls] of sends)
    if (calls.length > 1 + evidence.deaths)
      found.push({ document: null, saw: `request id ${requestId.slice(0, 8)}… was sent ${calls.length} times` });
  const attempts = Map.groupBy(rowsOf(evidence, 'attempts'), documentOf);
  for (const [document, rows] of attempts) {
    const times = evidence.asked.find(({ kind, psaId }) => `${kind} ${psaId}` === document)?.times ?? 0;
    if (rows.length > Math.max(1, times) + evidence.deaths + 2)
      found.push({ document, saw: `${rows.length} attempts` });
  }
  const [made, logged] = [rowsOf(evidence, 'attempts').length, loggedAttempts(evidence).length];
  if (logged > made + 1) found.push({ document: null, saw: `${logged} log rows of ${made} attempts` });
  return found;
}

/** I14: what is not known is shown as pending: success only of what is in the books, failure only of what is not. */
export function noHalfTruth(evidence: Evidence): Finding[] {
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
    const kind = evidence.asked.find((one) => one.kind === job?.['kind'])?.kind;
    if (job === undefined || kind === undefined || !isReferenced(kind) || job['mode'] !== 'live') continue;
    const document = `${kind} ${String(row['psa_id'])}`;
    const made = madeFor(creations, { kind, psaId: Number(row['psa_id']) });
    const saw = (text: string) => found.push({ document, saw: text });
    if (underWay.has(`${String(row['job_id'])} ${String(row['psa_id'])}`)) {
      if (row['outcome'] !== 'pending') saw(`shown as ${String(row['outcome'])} while it is under way`);
    } else if (row['outcome'] === 'succeeded' && made.length === 0)
      saw('shown as a success, and the books have nothing');
    else if (
      row['outcome'] === 'failed' &&
      made.length > 0 &&
      !wasRefusedTwice(evidence, Number(row['psa_id'])) &&
      !evidence.asked.some(
        (one) => one.kind === kind && one.psaId === row['psa_id'] && (one.isAnother === true || wasLeft(evidence, one)),
      )
    )
      saw('shown as a failure, and the books have it');
  }
  for (const row of rowsOf(evidence, 'postings')) {
    const isMade = creations.some(({ source }) => source?.kind === row['kind'] && source?.psaId === row['psa_id']);
    const generations = rowsOf(evidence, 'postings').filter(
      (one) => one['kind'] === row['kind'] && one['psa_id'] === row['psa_id'],
    );
    if (row['status'] === 'refused' && isMade && generations.length === 1)
      found.push({ document: documentOf(row), saw: 'the ledger says that the books refused it, and they have it' });
    if (['unconfirmed', 'synced'].includes(String(row['status'])) && row['kind'] !== 'void' && !isMade)
      found.push({
        document: documentOf(row),
        saw: `the ledger says ${String(row['status'])}, and the books have nothing`,
      });
  }
  return found;
}

/** A document that stands, of which a second one was asked for and refused, is a failure although the books have it. */
const wasRefusedTwice = (evidence: Evidence, psaId: number): boolean =>
  rowsOf(evidence, 'postings').filter((row) => row['psa_id'] === psaId).length > 1;
