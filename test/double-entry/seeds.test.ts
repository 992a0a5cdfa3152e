import { testSeeds } from './test-seeds.ts';

// Set by scripts/double-entry.ts.
const from = Number(process.env['DOUBLE_ENTRY_FROM'] ?? 1);
const count = Number(process.env['DOUBLE_ENTRY_SEEDS'] ?? 200);
testSeeds(Array.from({ length: count }, (_, index) => from + index));
