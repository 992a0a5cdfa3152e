/** `tallybridge verify-services`: runs the conformance suite against the services of a client. */
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Logger } from '#core/ports/logger.ts';
import { Refusal } from '#core/refusal.ts';
import { ServiceError } from '#core/service-error.ts';
import { autotaskChecks } from '#connectors/verification/autotask-checks.ts';
import { AutotaskService } from '#connectors/verification/autotask-service.ts';
import { quickbooksReads } from '#connectors/verification/quickbooks-reads.ts';
import { QuickbooksService } from '#connectors/verification/quickbooks-service.ts';
import { quickbooksWrites } from '#connectors/verification/quickbooks-writes.ts';
import { lineOf, markdownOf, type Run, summary } from '#connectors/verification/report.ts';
import { type Check, notTried, NotTried, runChecks, type Verified } from '#connectors/verification/suite.ts';
import { configuredUrl } from '#connectors/quickbooks/oauth.ts';
import { RateLimits } from '#connectors/rate-limiter.ts';
import { readClient } from '#flows/tenants/change-status.ts';
import type { App } from '#flows/context.ts';
import { type Outside, storedTokens } from './compose.ts';
import { forOperator, type OperatorContext, type Outcome } from './operator-context.ts';
import { outsideOf } from './product.ts';
import { readVersion } from './version.ts';

interface Options {
  readonly write?: true;
  /** Customer number of the Autotask test database. */
  readonly writeAutotask?: string;
  /** Path of a new Markdown file. */
  readonly report?: string;
}

/** Results of one service. */
interface Part {
  readonly host: string | undefined;
  readonly results: readonly Verified[];
  readonly leftovers: readonly string[];
}

const quickbooksChecks = [...quickbooksReads, ...quickbooksWrites];
/** Intuit's host of test companies. */
const sandboxHost = 'sandbox-quickbooks.api.intuit.com';
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Checks the facts with the services that a client is connected to. Writes only to a QuickBooks sandbox company, and to
 * the Autotask database that the operator names.
 *
 * @throws Refusal if writing is not allowed there.
 */
export const verifyServices = (id: string, options: Options): Promise<Outcome> =>
  forOperator(async (context) => {
    const app = await context.app();
    await readClient(app, id);
    const outside = outsideOf(context.config, undefined);
    const stopping = stoppedByUser();
    try {
      const parts = [
        await verifyQuickbooks({
          context,
          app,
          outside,
          id,
          writes: options.write === true,
          stopping: stopping.signal,
        }),
        await verifyAutotask({ context, app, outside, id, database: options.writeAutotask, stopping: stopping.signal }),
      ];
      const run: Run = {
        date: context.clock.now().slice(0, 10),
        hosts: parts.flatMap(({ host }) => host ?? []),
        version: readVersion(),
        results: parts.flatMap(({ results }) => results),
        leftovers: parts.flatMap(({ leftovers }) => leftovers),
      };
      return await outcomeOf(run, options.report);
    } finally {
      stopping.end();
      await app.readCounter.save();
    }
  });

async function outcomeOf(run: Run, path: string | undefined): Promise<Outcome> {
  // Never overwrites earlier evidence.
  if (path !== undefined) await writeFile(path, markdownOf(run), { flag: 'wx' });
  const differs = run.results.some(({ finding }) => finding.result === 'differs');
  const file = path === undefined ? [] : [`The report is in ${path}.`];
  return {
    text: [...run.results.map(lineOf), '', ...run.leftovers, summary(run.results), ...file].join('\n'),
    data: {
      results: run.results.map(({ facts, title, finding }) => ({ facts, title, ...finding })),
      leftovers: run.leftovers,
      ...(path !== undefined && { file: resolve(path) }),
    },
    exitCode: differs || run.leftovers.length > 0 ? 1 : 0,
  };
}

/** Turns the first Ctrl-C into the end of the run, so that marked documents are removed. */
function stoppedByUser() {
  const controller = new AbortController();
  const stop = () => {
    console.error('Stopping. Marked documents are being removed…');
    controller.abort();
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, stop);
  return {
    signal: controller.signal,
    end: () => {
      for (const signal of signals) process.off(signal, stop);
    },
  };
}

interface Subject {
  readonly context: OperatorContext;
  readonly app: App;
  readonly outside: Outside;
  readonly id: string;
  readonly stopping: AbortSignal;
}

/** Refusals are expected, so they are not logged. */
const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
};

const egressOf = ({ context, outside }: Subject) => ({
  allowedHosts: outside.allowedHosts,
  logger: silent,
  now: () => context.clock.now(),
});

async function verifyQuickbooks(subject: Subject & { readonly writes: boolean }): Promise<Part> {
  const { app, outside, id, writes, stopping } = subject;
  const apiUrl = configuredUrl(outside.qboApiUrl, outside.allowedHosts);
  if (writes && apiUrl.hostname !== sandboxHost && !loopback.test(apiUrl.hostname))
    throw new Refusal(
      'conflict',
      'not_a_sandbox',
      `--write creates documents, so it works only with a sandbox company: set QBO_API_URL to https://${sandboxHost} and connect a test company.`,
    );
  const tenant = app.forTenant(id).store;
  const credentials = await tenant.readAccountingCredentials();
  if (credentials === null) return unconnected(quickbooksChecks, 'QuickBooks is not connected.');
  const service = new QuickbooksService({
    apiUrl,
    realmId: credentials.realmId,
    tokens: storedTokens(app.oauth, tenant),
    egress: egressOf(subject),
    meter: app.readCounter.meterOf(id),
  });
  return runPart(quickbooksChecks, service, apiUrl.host, { writes, stopping, undo: () => service.removeMarked() });
}

async function verifyAutotask(subject: Subject & { readonly database: string | undefined }): Promise<Part> {
  const { app, outside, id, database, stopping } = subject;
  const credentials = await app.forTenant(id).store.readPsaCredentials();
  if (credentials === null) return unconnected(autotaskChecks, 'Autotask is not connected.');
  const service = new AutotaskService({
    zoneUrl: outside.autotaskUrl,
    credentials,
    integrationCode: outside.integrationCode,
    rateLimits: new RateLimits(),
    egress: egressOf(subject),
  });
  try {
    const found = await service.databaseId();
    if (database !== undefined && database !== found)
      throw new Refusal(
        'conflict',
        'another_database',
        `The client is connected to another Autotask database than ${database}. Name the customer number of its test database.`,
      );
    const writes = database !== undefined;
    return await runPart(autotaskChecks, service, await service.host(), {
      writes,
      stopping,
      undo: () => service.restore(),
    });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return unconnected(autotaskChecks, `Autotask gave no access (${error.about.code}).`);
  }
}

const unconnected = <Service>(checks: readonly Check<Service>[], reason: string): Part => ({
  host: undefined,
  results: notTried(checks, reason),
  leftovers: [],
});

/** Removes earlier marked documents, runs the checks, and removes what they wrote, whatever happened. */
async function runPart<Service>(
  checks: readonly Check<Service>[],
  service: Service,
  host: string,
  how: { readonly writes: boolean; readonly stopping: AbortSignal; readonly undo: () => Promise<readonly string[]> },
): Promise<Part> {
  const { writes, stopping } = how;
  let leftovers: readonly string[] = [];
  const undo = async () => {
    if (writes) leftovers = await how.undo().catch(unlessUnreadable);
  };
  let results: readonly Verified[];
  try {
    await undo();
    results = await runChecks(checks, service, { writes, stopping });
  } finally {
    await undo();
  }
  return { host, results, leftovers };
}

function unlessUnreadable(error: unknown): readonly string[] {
  if (error instanceof NotTried || error instanceof ServiceError)
    return ['Marked documents may remain: the service did not list them. Run the command again.'];
  throw error;
}
