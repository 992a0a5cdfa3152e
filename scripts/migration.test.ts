import { expect, test } from 'vitest';
import { nextMigration } from './migration.ts';

test('numbers a migration after the highest one', () => {
  expect(nextMigration(['0001_ground_floor.sql', '0022_no_queue.sql', '0007_connections.sql'], 'notes')).toBe(
    '0023_notes.sql',
  );
  expect(nextMigration([], 'first')).toBe('0001_first.sql');
});
