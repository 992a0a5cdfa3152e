import { expect, test } from 'vitest';
import { scenarioOf, type Scenario } from './scenario.ts';
import type { Step } from './step.ts';

const seeds = Array.from({ length: 200 }, (_, index) => index + 1);
const scenarios = seeds.map(scenarioOf);

const hasFilter = (step: Step, name: string): boolean =>
  'at' in step && typeof step.at === 'string' && step.at === name;
const isLate = (step: Step, seconds: number): boolean =>
  step.do === 'fault' && 'apply_after_seconds' in step.by && step.by.apply_after_seconds > seconds;
/** Longest delay of a late write without request ids (the product waits 130 seconds). */
const maxLateSeconds = 110;

test('returns the same scenario for the same seed', () => {
  expect(seeds.map(scenarioOf)).toEqual(scenarios);
});

test.each<[string, (step: Step) => boolean]>([
  ['a worker that crashes between request and response', (step) => step.do === 'crash' && hasFilter(step, '^post:')],
  ['a worker that freezes before it opens attempts', (step) => hasFilter(step, '^store.openAttempts$')],
  ['a lost response', (step) => step.do === 'fault' && 'reset' in step.by && step.by.reset === 'after'],
  ['a request that is applied after its timeout', (step) => isLate(step, maxLateSeconds)],
  ['a payment reading that is interrupted', (step) => hasFilter(step, '^store.saveCdcReading$')],
  ['an updated invoice in QuickBooks', (step) => step.do === 'update_in_quickbooks'],
  ['a deleted difference', (step) => step.do === 'delete_difference'],
  ['a reviewed test that is posted', (step) => step.do === 'post_reviewed'],
  ['a billed difference', (step) => step.do === 'bill_difference'],
  ['a user who disconnects QuickBooks', (step) => step.do === 'disconnect'],
  ['a purchase that is forced', (step) => step.do === 'sync_purchase_again'],
  ['a purchase with a cleared status', (step) => step.do === 'clear_purchase'],
  ["a restore of the product's database", (step) => step.do === 'restore'],
  ["a restore of Autotask's database", (step) => step.do === 'restore_psa'],
])('several of the first 200 seeds contain %s', (_, is) => {
  expect(scenarios.filter(({ steps }) => steps.some(is)).length).toBeGreaterThanOrEqual(3);
});

test.each<[string, (scenario: Scenario) => boolean]>([
  ['Autotask numbers the invoices', ({ numbering }) => numbering === 'psa'],
  ['a month ends', ({ today }) => today === '2027-07-31'],
])('in 20 to 50 percent of the scenarios %s', (_, is) => {
  const share = scenarios.filter(is).length / scenarios.length;
  expect(share).toBeGreaterThan(0.2);
  expect(share).toBeLessThan(0.5);
});

test('without request ids no write is applied later than the product waits', () => {
  const ignoring = scenarios.filter(({ requestid }) => requestid === 'none');
  expect(ignoring.flatMap(({ steps }) => steps).filter((step) => isLate(step, maxLateSeconds))).toEqual([]);
});
