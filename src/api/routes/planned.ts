import { z } from 'zod';
import { documentView, ledgerEntry, summary } from '#contract/planned.ts';
import type { LedgerEntry } from '#core/planning/ledger-effect.ts';
import type { RunSummary } from '#core/approval-run.ts';
import type { DocumentView } from '#core/planning/plan-view.ts';
import { toWire } from '../to-wire.ts';

/** Returns planned documents in the API format. */

const summaryReply = z.strictObject(summary);
export const toSummary = (run: RunSummary) =>
  toWire(summaryReply, {
    ...run,
    sums: run.sums.map(({ kind, ...sum }) => ({ ...sum, type: kind })),
    parties: run.parties.map(({ kind, ...sum }) => ({ ...sum, type: kind })),
    effects: run.effects.map(({ isTaxKnown, entries, ...effect }) => ({
      ...effect,
      taxKnown: isTaxKnown,
      entries: entries.map(withClass),
    })),
  });

export const toEntry = (entry: LedgerEntry) => toWire(ledgerEntry, withClass(entry));

export const toView = (view: DocumentView) =>
  toWire(documentView, {
    ...withDates(view),
    lines: view.lines.map(withClass),
    taxKnown: view.isTaxKnown,
    source: view.source ? withDates(view.source) : null,
  });

const withClass = <One extends { readonly className: string | null }>({ className, ...one }: One) => ({
  ...one,
  class: className,
});

const withDates = <One extends { readonly datedOn: string | null; readonly dueOn: string | null }>({
  datedOn,
  dueOn,
  ...one
}: One) => ({ ...one, date: datedOn, due: dueOn });
