import { afterAll, beforeAll, expect, test } from 'vitest';
import { Company } from './run.ts';
import { playSeed } from './seed.ts';

let company: Company;
beforeAll(async () => {
  company = await Company.start();
});
afterAll(() => company.close());

const from = Number(process.env['FROM'] ?? 1);
const count = Number(process.env['COUNT'] ?? 5);
test.each(Array.from({ length: count }, (_, index) => from + index))('seed %i', async (seed) => {
  const began = performance.now();
  const out = await playSeed(company, seed);
  console.log(`##${seed} ${Math.round(performance.now() - began)} ms\n${out}`);
  expect(out).toBe('');
}, 600_000);
