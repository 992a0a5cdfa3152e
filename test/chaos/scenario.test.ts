import { expect, test } from 'vitest';
import { scenarioOf, type Scenario } from './scenario.ts';
import type { Step } from './step.ts';

const seeds = Array.from({ length: 200 }, (_, index) => index + 1);
const scenarios = seeds.map(scenarioOf);

const isNamed = (step: Step, name: string): boolean => 'at' in step && typeof step.at === 'string' && step.at === name;
const isLate = (step: Step, seconds: number): boolean =>
  step.do === 'strike' && 'apply_after_seconds' in step.by && step.by.apply_after_seconds > seconds;
/** The longest that a write may come late where request ids are not honoured (the product waits for 130 seconds). */
const longestLateSeconds = 110;

test('a seed is always the same scenario', () => {
  expect(seeds.map(scenarioOf)).toEqual(scenarios);
});

test.each<[string, (step: Step) => boolean]>([
  ['a worker that dies between a send and its answer', (step) => step.do === 'die' && isNamed(step, '^post:')],
  ['a worker that stands still before it takes documents up', (step) => isNamed(step, '^store.openAttempts$')],
  ['an answer that is lost', (step) => step.do === 'strike' && 'reset' in step.by && step.by.reset === 'after'],
  ['an answer that comes after it was given up', (step) => isLate(step, longestLateSeconds)],
  ['a payment that is cut off on its way to the PSA', (step) => isNamed(step, '^store.saveCdcReading$')],
  ['a change that the books are to follow', (step) => step.do === 'update_books'],
  ['a difference that is deleted', (step) => step.do === 'delete_difference'],
  ['a test whose plan is posted', (step) => step.do === 'post_reviewed'],
  ['a difference that is billed', (step) => step.do === 'bill_difference'],
  ['a person who disconnects QuickBooks', (step) => step.do === 'disconnect'],
  ['a purchase that is asked for again', (step) => step.do === 'sync_purchase_again'],
  ['a purchase whose status is cleared', (step) => step.do === 'clear_purchase'],
  ['a database of ours that is put back', (step) => step.do === 'restore'],
  ['a database of the PSA that is put back', (step) => step.do === 'restore_psa'],
])('among the first 200 seeds, several have %s', (_, is) => {
  expect(scenarios.filter(({ steps }) => steps.some(is)).length).toBeGreaterThanOrEqual(3);
});

test.each<[string, (scenario: Scenario) => boolean]>([
  ['the PSA numbers the invoices', ({ numbering }) => numbering === 'psa'],
  ['a month ends', ({ today }) => today === '2027-07-31'],
])('in some of them %s', (_, is) => {
  const share = scenarios.filter(is).length / scenarios.length;
  expect(share).toBeGreaterThan(0.2);
  expect(share).toBeLessThan(0.5);
});

test('no write comes later than the product waits for where nothing but the wait keeps it from being repeated', () => {
  const ignoring = scenarios.filter(({ requestid }) => requestid === 'none');
  expect(ignoring.flatMap(({ steps }) => steps).filter((step) => isLate(step, longestLateSeconds))).toEqual([]);
});
