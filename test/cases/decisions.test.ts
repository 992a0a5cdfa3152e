import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { canonicalPlan } from '#core/planning/canonical-plan.ts';
import { ledgerEffect } from '#core/planning/ledger-effect.ts';
import { viewOf } from '#core/planning/plan-view.ts';
import { verify } from '#core/planning/verify.ts';
import { decideGolden, goldenKinds, type GoldenDecision } from './decide-golden.ts';
import type { InvoiceGiven } from './invoice-given.ts';

/**
 * Snapshots of complete decisions on all golden cases: notes, document, debits and credits, and the text compared in an
 * approval. The cases' folders have the expected results; the snapshots in `decisions/` reveal other changes. Update
 * them with `vitest run --update` and read the diff.
 */
const wide = { depth: null, breakLength: 160, compact: 6, maxStringLength: null, maxArrayLength: 30 } as const;

/** Formats a decision. */
function formatDecision(name: string, { decision, about, accounting: data }: GoldenDecision, given: unknown): string {
  const { plan } = decision;
  const { posted } = given as Pick<InvoiceGiven, 'posted'>;
  const shown =
    plan === undefined
      ? { about }
      : {
          about,
          view: viewOf(plan, data, about),
          effect: ledgerEffect(plan, data, about),
          canonical: canonicalPlan(plan, data),
          ...(posted !== undefined && { verified: verify(plan, posted, 'Autotask') }),
        };
  return `## ${name}\n\n${inspect({ decision, ...shown }, wide)}\n`;
}

test.each(goldenKinds)('decides every golden case of %s as in the snapshot', async (kind) => {
  const folder = join(import.meta.dirname, kind);
  const pages = readdirSync(folder).map((name) => {
    const given: unknown = JSON.parse(readFileSync(join(folder, name, 'given.json'), 'utf8'));
    return formatDecision(name, decideGolden(kind, given), given);
  });
  await expect(pages.join('\n')).toMatchFileSnapshot(join(import.meta.dirname, 'decisions', `${kind}.txt`));
});
