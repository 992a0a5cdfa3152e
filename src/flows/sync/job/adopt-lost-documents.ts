import { maxLookBackSeconds, type UnreadableRecord } from '#core/documents/accounting-change.ts';
import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import { generationOf, syncedAtOf } from '#core/documents/origin.ts';
import { inParallel } from '#core/in-parallel.ts';
import { documentName, followsInvoice, type Kind } from '#core/kinds.ts';
import type { AdoptedPosting, GoneDocument, Posting } from '#core/records/postings.ts';
import { madeTypes, namedSource, type NamedSource } from '#core/reconciliation/named-source.ts';
import { referenceOf } from '#core/sync-status.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import { negate } from '#core/values/decimal.ts';
import { noteUnreadable } from '../../connections/unreadable-records.ts';
import { findFlow } from '../kinds/registry.ts';
import type { Run } from '../run.ts';
import { findMissing } from './find-missing.ts';

/** Seconds of overlap with the last reading of the change feed, because the feed may report a change late. */
const overlapSeconds = 600;
/** A QuickBooks document with the source that it names. */
interface Named extends NamedSource {
  readonly document: AccountingDocument;
}

/**
 * Adds documents to the ledger that were posted in a period lost in a restore from a backup, if they name their source
 * and the PSA shows their number. From then on they are paid, voided and watched like others. A document that the PSA
 * does not show is searched for and compared when it is synced. One that only the PSA shows is reported as gone. Runs
 * once per lost period, with one call per service if there is nothing to adopt; and again while such a document is left
 * to an open attempt, because the attempt may end without it.
 *
 * @throws Stop when a service cannot be used: the period stays open.
 */
export async function adoptLostDocuments(run: Run): Promise<void> {
  const { context, session } = run;
  if (session.ledgerGap === null) return;
  const { adopted, gone, isComplete } = await findLostDocuments(run);
  await context.store.adoptPostings(run.lease, adopted, gone, isComplete ? session.ledgerGap : null);
  if (adopted.length > 0)
    context.logger.warn({ documents: adopted.length }, 'documents were taken into a ledger that did not know them');
}

interface LostDocuments {
  readonly adopted: readonly AdoptedPosting[];
  readonly gone: readonly GoneDocument[];
  /** No document was left to an open attempt, and all could be read. */
  readonly isComplete: boolean;
}

async function findLostDocuments(run: Run): Promise<LostDocuments> {
  const { context, session, accounting, psa } = run;
  const now = context.clock.now();
  // Services may have run for days before the restore was reported, and have moved the position in the feed.
  const earliest = addSeconds(now, -maxLookBackSeconds);
  const since = addSeconds(earlierOf(session.beforeGap.cursor ?? earliest, earliest), -overlapSeconds);
  const unreadable: UnreadableRecord[] = [];
  const changed = await accounting.listChangedDocuments(since, madeTypes, (record) => unreadable.push(record));
  await noteUnreadable(context, unreadable);
  const named = changed.flatMap((document): Named[] => {
    const source = namedSource(document, psa.describe.label);
    return source === null ? [] : [{ ...source, document }];
  });
  const known = new Set<number>();
  const adopted: Named[] = [];
  // A document that QuickBooks cannot return may be one of ours.
  let isComplete = unreadable.length === 0;
  // Invoices come first, because the other kinds are adopted only if their invoice is known.
  for (const kind of ['invoice', 'purchase_order', 'expense_report', 'payment', 'void', 'difference'] as const) {
    const { own, isLeft } = await unknownOf(run, kind, named);
    if (isLeft) isComplete = false;
    const taken = followsInvoice(kind) ? await ofKnownInvoices(run, own, known) : await namedByPsa(run, kind, own);
    if (kind === 'invoice') for (const { psaId } of taken) known.add(psaId);
    adopted.push(...taken);
  }
  const invoices = named.flatMap(({ kind, psaId }) => (kind === 'invoice' ? [psaId] : []));
  // The cursor uses QuickBooks' clock; the PSA's sync dates use our clock.
  const postedAt = adopted.map(({ document }) => syncedAtOf(document.privateNote) ?? document.changedAt);
  const began = postedAt.reduce(earlierOf, session.beforeGap.polledAt ?? earliest);
  const postedFrom = addSeconds(began, -overlapSeconds);
  const gone = await findMissing(run, postedFrom, new Set(invoices));
  return { adopted: adopted.map((one) => toPosting(run, one)), gone, isComplete };
}

const earlierOf = (one: Instant, other: Instant): Instant => (one < other ? one : other);

/**
 * Returns documents of a kind that the ledger does not have, whose source is not being posted, and whether others were
 * left to an open attempt.
 */
async function unknownOf(
  run: Run,
  kind: Kind,
  named: readonly Named[],
): Promise<{ readonly own: readonly Named[]; readonly isLeft: boolean }> {
  const { store } = run.context;
  const ofKind = named.filter((one) => one.kind === kind);
  if (ofKind.length === 0) return { own: [], isLeft: false };
  const [found, postings, making] = await inParallel([
    store.findPostings(
      kind,
      ofKind.map(({ document }) => document.id),
    ),
    store.listPostings(kind, [...new Set(ofKind.map(({ psaId }) => psaId))]),
    store.listMaking(kind),
  ]);
  const isKnown = new Set(found.map(({ targetType, targetId }) => `${targetType} ${targetId}`));
  // An interrupted attempt finds its own document; one that was only started sees the reference in the PSA.
  const isOpen = new Set([...making, ...postings.filter(isSending).map(({ psaId }) => psaId)]);
  const isInLedger = ({ document: { type, id } }: Named) => isKnown.has(`${type} ${id}`);
  // A copy that a user made has the note and perhaps the number of a document that still exists [Q94].
  const existing = followsInvoice(kind) ? [] : ofKind.filter((one) => isInLedger(one) && !one.document.isVoided);
  const taken = new Set(existing.map(copiedFrom));
  const unknown = ofKind.filter((one) => !isInLedger(one) && !taken.has(copiedFrom(one)));
  const own = unknown.filter(({ psaId }) => !isOpen.has(psaId));
  return { own, isLeft: own.length < unknown.length };
}

/** Equal for a document and its copies. Another document that we created for the same source counts in its note. */
const copiedFrom = ({ psaId, document: { number, id, privateNote } }: Named): string =>
  [psaId, number ?? id, generationOf(privateNote)].join(' ');

const isSending = ({ status }: Posting): boolean => status === 'sending';

/** Returns documents whose number the PSA shows, one per source. */
async function namedByPsa(run: Run, kind: Kind, own: readonly Named[]): Promise<readonly Named[]> {
  const field = findFlow(kind)?.statusField;
  if (own.length === 0 || field === undefined) return [];
  const ids = [...new Set(own.map(({ psaId }) => psaId))];
  const shown = await field.read(run, run.session.settings, ids);
  const bySource = new Map(
    own
      .filter(({ psaId, document }) => shown.get(psaId)?.reference === referenceOf(kind, document))
      .map((one) => [one.psaId, one]),
  );
  return [...bySource.values()];
}

/** Returns documents created for an invoice that is, or was just, added to the ledger. */
async function ofKnownInvoices(
  run: Run,
  own: readonly Named[],
  learned: ReadonlySet<number>,
): Promise<readonly Named[]> {
  if (own.length === 0) return [];
  const postings = await run.context.store.listPostings(
    'invoice',
    own.map(({ psaId }) => psaId),
  );
  const known = new Set(postings.map(({ psaId }) => psaId));
  return own.filter(({ psaId, document }) => !document.isVoided && (known.has(psaId) || learned.has(psaId)));
}

function toPosting({ context }: Run, { kind, psaId, document }: Named): AdoptedPosting {
  const { type, id, number, total, tax, party, datedOn, currency } = document;
  const at = context.clock.now();
  const what = words[type] ?? type;
  const message = `Recorded: ${documentName(kind, psaId)} is in QuickBooks as ${what.toLowerCase()} ${number ?? id}, posted before a restore of the database.`;
  const amount = type === 'CreditMemo' ? negate(total) : total;
  const about = { what, psaId, number, party: party.name, on: datedOn, amount, currency };
  return { kind, psaId, type, id, number, total, tax, at, about, message };
}

const words: Readonly<Record<string, string>> = { CreditMemo: 'Credit memo', PurchaseOrder: 'Purchase order' };
