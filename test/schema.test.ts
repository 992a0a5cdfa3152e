import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeSchema, schemaFile } from '../scripts/schema.ts';
import { asOwner, newDatabase } from './support/database.ts';

test('docs/schema.sql is what the migrations make (otherwise: npm run schema)', async () => {
  const db = await newDatabase();
  try {
    const { schema, version } = await asOwner(db.url, async (client) => {
      const { rows } = await client.query<{ version: string }>(
        `select current_setting('server_version_num') as version`,
      );
      return { schema: await describeSchema(client), version: Number(rows[0]?.version) };
    });
    // Other versions of PostgreSQL print some expressions in another form.
    if (version >= 180_000 && version < 190_000) expect(schema).toBe(readFileSync(schemaFile, 'utf8'));
  } finally {
    await db.close();
  }
});
