import { documentStateOf, type DocumentState } from '#core/document-state.ts';
import { inParallel } from '#core/in-parallel.ts';
import { documentName, type Kind, type SubmittableKind } from '#core/kinds.ts';
import type { ProblemDocument, Problem } from '#core/problems.ts';
import type { DocumentDraft, DocumentEntry, DocumentProof, ShownPlan } from '#core/records/document-history.ts';
import type { Posting } from '#core/records/postings.ts';
import type { DriftKind } from '#core/reconciliation/drift.ts';
import { monthOf } from '#core/reconciliation/month.ts';
import { Refusal } from '#core/refusal.ts';
import { negate } from '#core/values/decimal.ts';
import type { TenantStore } from '#store/tenant-store.ts';
import type { TenantContext } from '../context.ts';
import { readPsaSide } from './current.ts';

/** Kinds of the log and the ledger that belong to one document of the PSA. */
export const kindsOfDocument: Readonly<Record<SubmittableKind, readonly Kind[]>> = {
  invoice: ['invoice', 'payment', 'difference', 'void'],
  purchase_order: ['purchase_order'],
  expense_report: ['expense_report'],
};

/** Maximum number of drafts, postings and decisions of one document; the newest are shown. */
const maxRecords = 50;

/** Differences that a success leaves open. */
const unsettled: ReadonlySet<DriftKind> = new Set<DriftKind>(['total_differs', 'not_mailed']);

/** What the newest live attempt of one kind left open. */
export interface OpenProblem {
  readonly kind: Kind;
  readonly entry: DocumentEntry;
  readonly problems: readonly Partial<Problem>[];
}

/** Everything that is stored about one document. */
export interface DocumentHistory {
  readonly kind: SubmittableKind;
  readonly psaId: number;
  readonly about: Omit<ProblemDocument, 'what' | 'psaId'> & { readonly what: string | null };
  readonly state: DocumentState;
  readonly problems: readonly OpenProblem[];
  readonly plan: ShownPlan | null;
  /** Newest first. */
  readonly postings: readonly Posting[];
  /** Newest first. */
  readonly entries: readonly DocumentEntry[];
  /** Older entries exist. */
  readonly more: boolean;
  readonly drafts: readonly DocumentDraft[];
  readonly proof: DocumentProof | null;
}

/**
 * Reads what is stored about one document, without a call to the services. A document that was never synced is read from
 * the PSA, because nothing is stored about it.
 *
 * @param limit maximum number of log entries
 * @throws Refusal `not_found` (404) when neither Tallybridge nor the PSA has the document; ServiceError when the PSA must
 *   be read and does not respond.
 */
export async function readDocumentHistory(
  context: TenantContext,
  kind: SubmittableKind,
  psaId: number,
  limit: number,
): Promise<DocumentHistory> {
  const stored = await context.store.readInOneTransaction((store) => readStored(store, kind, psaId, limit));
  if (stored.entries.length > 0 || stored.postings.length > 0 || stored.drafts.length > 0) return stored;
  const psa = await readPsaSide(context, kind, psaId);
  if (psa === null) {
    const { label } = (await context.psa()).describe;
    throw new Refusal(
      'not_found',
      'not_found',
      `${documentName(kind, psaId)} was not found in ${label} or Tallybridge. Check the ID in ${label}, or search for the number in the logs.`,
    );
  }
  return { ...stored, about: psa.about };
}

async function readStored(
  store: TenantStore,
  kind: SubmittableKind,
  psaId: number,
  limit: number,
): Promise<DocumentHistory> {
  const kinds = kindsOfDocument[kind];
  const [entries, live, drafts, isBusy, posted] = await inParallel([
    store.listDocumentEntries(kinds, psaId, limit + 1),
    store.listNewestLive(kinds, psaId),
    store.listDocumentDrafts(kinds, psaId, maxRecords),
    store.isDocumentBusy(kind, psaId),
    inParallel(kinds.map((one) => store.listPostings(one, [psaId]))),
  ]);
  const shown = entries.slice(0, limit);
  const [own = []] = posted;
  const posting = own.at(-1) ?? null;
  const newest = await withProblems(store, live, psaId);
  const isPosted = posting?.status === 'synced' || posting?.status === 'unconfirmed';
  const about = aboutOf(kind, [...live, ...shown], posting);
  const [plan, proof] = await inParallel([
    store.readShownPlan(kind, psaId, isPosted),
    about.on === null || posting === null ? null : store.readDocumentProof(kinds, psaId, monthOf(about.on), maxRecords),
  ]);
  const ofDocument = newest.find((problem) => problem.kind === kind) ?? null;
  return {
    kind,
    psaId,
    about,
    state: documentStateOf({
      isBusy,
      isDrafted: drafts.some((draft) => draft.kind === kind && draft.state === 'waiting'),
      posting,
      newest: ofDocument === null ? null : { success: ofDocument.entry.success, problems: ofDocument.problems },
    }),
    problems: newest.filter(
      ({ kind: of, entry, problems }) =>
        !entry.success || (of === kind && problems.length > 0 && posting?.drift.some((one) => unsettled.has(one))),
    ),
    plan,
    postings: posted
      .flat()
      .toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
      .slice(0, maxRecords),
    entries: shown,
    more: entries.length > limit,
    drafts,
    proof,
  };
}

/** Adds the problems of the newest live attempts. An attempt that waits for approval has none. */
async function withProblems(
  store: TenantStore,
  live: readonly DocumentEntry[],
  psaId: number,
): Promise<readonly OpenProblem[]> {
  const ended = live.filter(({ awaitsApproval }) => !awaitsApproval);
  const problems = await inParallel(ended.map(({ type }) => store.readNewestProblems(type, psaId)));
  return ended.map((entry, place) => ({ kind: entry.type, entry, problems: problems[place] ?? [] }));
}

/** Returns the head of a document from its newest entry that has one, with the number and total that were posted. */
function aboutOf(
  kind: SubmittableKind,
  entries: readonly DocumentEntry[],
  posting: Posting | null,
): DocumentHistory['about'] {
  const known = entries.filter(({ type }) => type === kind);
  const named = known.find(({ party }) => party !== null) ?? known[0] ?? entries[0];
  const isThere = posting?.status === 'synced' || posting?.status === 'unconfirmed';
  const total = isThere ? posting.total : null;
  return {
    what: named?.what ?? null,
    number: (isThere ? posting.number : null) ?? named?.number ?? null,
    party: named?.party ?? null,
    on: named?.on ?? null,
    amount: named?.amount ?? (total !== null && posting?.targetType === 'CreditMemo' ? negate(total) : total),
    currency: named?.currency ?? null,
  };
}
