import { testSeeds } from './test-seeds.ts';

// Set by scripts/double-entry.ts.
testSeeds(Number(process.env['DOUBLE_ENTRY_FROM'] ?? 1), Number(process.env['DOUBLE_ENTRY_SEEDS'] ?? 200));
