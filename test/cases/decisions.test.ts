import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { canonicalPlan } from '#core/planning/canonical-plan.ts';
import { ledgerEffect } from '#core/planning/ledger-effect.ts';
import { viewOf } from '#core/planning/plan-view.ts';
import { verify } from '#core/planning/verify.ts';
import { decideGolden, goldenKinds, type Decided } from './decide-golden.ts';
import type { InvoiceGiven } from './invoice-given.ts';

/**
 * Everything that is decided on the golden cases, whole: the decision with its notes, the document in names, its debits
 * and credits, and what an approval compares. The folders of the cases say what a bookkeeper expects of each; these pages
 * (`decisions/`) hold that nothing else changes unseen. A change is written with `vitest run --update` and read before it
 * is committed.
 */
const wide = { depth: null, breakLength: 160, compact: 6, maxStringLength: null, maxArrayLength: 30 } as const;

/** One decision as text. */
function pageOf(name: string, { decision, about, books: data }: Decided, given: unknown): string {
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

test.each(goldenKinds)('on each golden case of %s everything is decided as it was', async (kind) => {
  const folder = join(import.meta.dirname, kind);
  const pages = readdirSync(folder).map((name) => {
    const given: unknown = JSON.parse(readFileSync(join(folder, name, 'given.json'), 'utf8'));
    return pageOf(name, decideGolden(kind, given), given);
  });
  await expect(pages.join('\n')).toMatchFileSnapshot(join(import.meta.dirname, 'decisions', `${kind}.txt`));
});
