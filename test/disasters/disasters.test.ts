import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { violationText, type Violation } from './checker.ts';
import { casesOf } from './crash-points.ts';
import { minimize } from './minimize.ts';
import { runCase, type Case, type Plan } from './run.ts';
import { scenarioOf, type Scenario } from './scenario.ts';
import { runScenario } from './seeded.ts';
import { stepText } from './step.ts';

const seedCount = Number(process.env['SEED_COUNT'] ?? 10);
const plan: Plan | null = JSON.parse(process.env['DISASTERS'] ?? 'null');
const folder = plan?.folder ?? null;

/** Counts for the report, by name. */
const counts: Record<string, number> = {};
const count = (name: string, more = 1): void => void (counts[name] = (counts[name] ?? 0) + more);
afterAll(() => {
  if (folder !== null) writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(counts));
});

/** Returns false if another process has taken this work. */
function takes(work: string): boolean {
  try {
    if (folder !== null) mkdirSync(join(folder, work));
    return true;
  } catch {
    return false;
  }
}

function countRun(title: string, violations: readonly Violation[]): readonly string[] {
  count('runs');
  count('violations', violations.length);
  const lines = violations.map(violationText);
  // Reports failures immediately.
  if (folder !== null && lines.length > 0) process.stdout.write(`\n✗ ${[title, ...lines].join('\n  ')}\n`);
  return lines;
}

async function runAndCount(one: Case) {
  const { violations, missed, effects } = await runCase(one);
  count(one.flow);
  const title = `${one.flow}, requestid ${one.requestid}, ${one.crashes.join(' and ') || 'undisturbed'}`;
  count('crashes that were not reached', missed.length);
  if (folder !== null && missed.length > 0) process.stdout.write(`\n– ${title}: ${missed.join(' and ')} not reached\n`);
  return { missed, effects, lines: countRun(title, violations) };
}

/** Crash points that each nightly run and the planted bugs use. */
const sample = [
  ['invoice', 'none', ['post:create_item:1:after']],
  ['invoices', 'none', ['post:batch:1:after']],
  ['invoices', 'all', ['post:batch:1:after:stop']],
  ['invoices', 'all', ['commit:posted:2:before']],
  ['refused invoice', 'none', ['psa:mark:1:after']],
  ['purchase orders', 'none', ['post:batch:1:after']],
  ['expense report', 'none', ['psa:running:1:after']],
  ['expense reports', 'all', ['post:create_bill:1:before']],
  ['expense reports', 'none', ['commit:refused:1:before:stop']],
  ['payment in QuickBooks', 'none', ['psa:write:1:after']],
  ['payment in Autotask', 'none', ['post:create_payment:1:after']],
  ['void', 'none', ['post:void:1:after']],
  ['token refresh', 'all', ['oauth.refresh:1:after']],
  ['token refresh without grace', 'all', ['oauth.refresh:1:after']],
  ['token refresh without grace', 'none', ['post:create_invoice:1:after']],
  ['clear status', 'all', ['psa.writeInvoice:1:after']],
  ['test sync', 'none', ['commit:simulated:1:before']],
  ['sync again', 'none', ['post:create_invoice:1:after']],
  ['billed difference', 'none', ['post:create_invoice:1:after']],
  ['updated accounting', 'none', ['post:update:1:after']],
  ['invoice', 'none', ['post:mail:1:after']],
  ['alert mails', 'none', ['mail.send:1:before']],
  ['another company', 'none', ['store.saveConnection:1:before']],
  ['restored ledger', 'none', ['store.adoptPostings:1:after']],
  ['restored ledger', 'none', ['store.adoptPostings:1:before']],
  ['restored PSA', 'none', ['psa:write:1:after']],
  ['restored PSA', 'all', ['psa:mark:1:before']],
  ['invoice', 'all', ['accounting.post*:2:before:cut']],
  ['invoice', 'none', ['post:create_invoice:1:after', 'commit:posted:1:after']],
  ['invoice', 'none', ['post:create_invoice:1:before:stop']],
  ['invoice', 'none', ['post:create_invoice:1:after:stop']],
  ['invoice', 'none', ['accounting.post:2:before:stop']],
] as const;

describe.skipIf(plan !== null)('the sample', () => {
  test.each(sample)(
    '%s, requestid honored by %s, killed or stopped at %j: every invariant holds',
    async (flow, requestid, crashes) => {
      const { lines, missed } = await runAndCount({ flow, requestid, crashes });
      expect(lines, lines.join('\n')).toEqual([]);
      expect(missed).toEqual([]);
    },
  );
});

test.each(plan?.flows ?? [])(
  '$flow, requestid honored by $requestid: every invariant holds at each crash point',
  { timeout: 7_200_000 },
  async ({ flow, requestid }) => {
    if (plan === null || !takes(`${flow} ${requestid}`)) return;
    const undisturbed = await runAndCount({ flow, requestid, crashes: [] });
    const found = [...undisturbed.lines];
    const all =
      plan.crashes.length > 0
        ? [{ flow, requestid, crashes: plan.crashes }]
        : casesOf(flow, requestid, undisturbed.effects);
    count('cases', all.length);
    for (const one of all.filter((_, at) => at % plan.every === 0)) found.push(...(await runAndCount(one)).lines);
    expect(found, found.join('\n')).toEqual([]);
  },
);

test.each(plan?.seeds ?? Array.from({ length: seedCount }, (_, at) => at + 1))(
  'seed %i: both services agree after random faults, crashes and user actions',
  { timeout: plan?.isMinimized === true ? 3_600_000 : 300_000 },
  async (seed) => {
    if (!takes(`seed ${seed}`)) return;
    const scenario = scenarioOf(seed);
    const { violations, deaths, faultedRequests, userActions, history } = await runScenario(scenario);
    count('seeds');
    count('failed requests', faultedRequests);
    count('crashed or frozen workers', deaths);
    count('user actions', userActions);
    const lines = countRun(`seed ${seed}`, violations);
    const [first] = violations;
    if (first === undefined) return;
    const isSame = async (shorter: Scenario) =>
      (await runScenario(shorter)).violations.some(({ rule }) => rule === first.rule);
    const isMinimized = plan?.isMinimized === true;
    const minimized = isMinimized ? await minimize(scenario, isSame) : scenario;
    const last = isMinimized ? await runScenario(minimized) : { history };
    expect.fail(
      [
        ...lines,
        `npm run disasters -- --seed=${seed}, requestid ${scenario.requestid}, invoices numbered by ${scenario.numbering}:`,
        ...minimized.steps.map(stepText),
        'What happened:',
        ...last.history,
      ].join('\n'),
    );
  },
);
