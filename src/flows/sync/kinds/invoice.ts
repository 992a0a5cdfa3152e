import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import type { Invoice } from '#core/documents/invoice.ts';
import { isSameOrigin, originText } from '#core/documents/origin.ts';
import type { Company } from '#core/documents/party.ts';
import type { PrepaidPurchase } from '#core/documents/prepaid-purchase.ts';
import { inParallel } from '#core/in-parallel.ts';
import { isNumberedByAccounting, lacksNumber } from '#core/planning/document-fields.ts';
import {
  isEligible,
  hasOnlyRunningMark,
  staleAfterSeconds,
  syncedReference,
  thresholdOf,
} from '#core/planning/eligibility.ts';
import { alreadySynced, invoiceMessages } from '#core/planning/messages.ts';
import { isPrepaidWork } from '#core/planning/prepaid.ts';
import { differencesOfLink } from '#core/planning/link-differences.ts';
import { describeDocument, type InvoiceFacts } from '#core/planning/invoice-content.ts';
import { planInvoice } from '#core/planning/plan-invoice.ts';
import { contractsOfCredits } from '#core/planning/milestone-credits.ts';
import { indexPsa } from '#core/planning/reference-index.ts';
import type { NumberedDocument } from '#core/ports/accounting.ts';
import { psaNames } from '#core/ports/psa.ts';
import type { Posting, PostingStatus } from '#core/records/postings.ts';
import { unlessReadsAreBlocked } from '#core/service-error.ts';
import { usesPsaNumber, type Settings } from '#core/settings/definitions.ts';
import { errorMark, withoutSentinel } from '#core/sync-status.ts';
import { addSeconds, type CalendarDate, type Instant } from '#core/values/dates.ts';
import { skipSynced } from './already-synced.ts';
import { decideBesideDifferences } from './current-differences.ts';
import { decideEnteredAgain, readEnteredAgain } from './entered-again.ts';
import {
  type AttemptRequest,
  type KindFlow,
  type KnownDocument,
  referenceOfPosting,
  type Searcher,
  unlessGone,
} from './kind.ts';
import { loadPsaReference } from '../../connections/reference-data.ts';
import { reasonOf } from '../suppression.ts';
import { refuseWithoutNumber } from './missing.ts';

/** Facts of one invoice, in addition to those that a job shares. */
export interface InvoiceRead {
  readonly invoice: Invoice;
  readonly company: Company | null;
  /** Other companies that its lines refer to. */
  readonly workCompanies: readonly Company[];
  /** Invoices of its prepaid contracts. */
  readonly prepaid: InvoiceFacts['prepaid'];
  /** Blocks, retainers and tickets of those contracts. */
  readonly purchases: readonly PrepaidPurchase[];
  /** Other invoices of the contracts whose milestones it may credit. */
  readonly contractInvoices: NonNullable<InvoiceFacts['contractInvoices']>;
  /** QuickBooks documents with the invoice's number, including ours. */
  readonly numbered: readonly NumberedDocument[];
}

/** Maximum age of the PSA's lists, because the PSA does not report changes. */
const listsMaxAgeSeconds = 3_600;

/** Invoices: posted from the PSA to QuickBooks, by the rules of domain reference 6. */
export const invoiceFlow: KindFlow<InvoiceRead> = {
  kind: 'invoice',

  invoiceSearch: (run, settings, { force, startOn }) => ({
    voided: false,
    createdFrom: oldestOf(run, settings, startOn),
    ...(usesPsaNumber(settings.inv_numbering_option) && !force ? { notExported: true } : {}),
  }),

  async findCandidates(run, settings, { force, startOn }, seen) {
    const heads = seen ?? [];
    const usesPsa = usesPsaNumber(settings.inv_numbering_option);
    const rules = { usesPsaNumber: usesPsa, from: oldestOf(run, settings, startOn), force };
    const eligible = heads.filter((invoice) => isEligible(invoice, rules)).map(({ id }) => id);
    const running = heads.filter((invoice) => hasOnlyRunningMark(invoice, rules)).map(({ id }) => id);
    const isSettled = running.length === 0;
    const ids = [...new Set([...eligible, ...(await stale(run, running))])].sort((a, b) => a - b);
    // A search skips zero-balance invoices that were already logged (domain reference 6.10).
    if (!settings.inv_ignore_zero_balance_invoices || ids.length === 0) return { ids, isSettled };
    const suppressions = await run.context.store.listSuppressions('invoice', ids);
    return { ids: ids.filter((id) => reasonOf(suppressions.get(id)) !== 'zero_balance'), isSettled };
  },

  async gather(run, settings, psaIds) {
    const invoices = await run.psa.readInvoices(psaIds);
    const numbers = usesPsaNumber(settings.inv_numbering_option)
      ? invoices.map((invoice) => withoutSentinel(invoice.number)).filter((number) => number !== '')
      : [];
    const credited = [...new Set(invoices.flatMap(({ lines }) => contractsOfCredits(lines)))];
    const [companies, numbered, prepaid, ofCredits] = await inParallel([
      run.psa.readCompanies([...new Set(invoices.flatMap(companyIdsOf))]),
      unlessReadsAreBlocked(run.accounting.findNumbered([...new Set(numbers)]), []),
      settings.prepaid_drawdown ? readPrepaid(run, settings, invoices) : { invoices: [], purchases: [] },
      credited.length === 0 ? [] : readCreditedInvoices(run, settings, credited),
    ]);
    const byId = new Map(companies.map((company) => [company.id, company]));
    const byNumber = Map.groupBy(numbered, ({ number }) => number);
    return new Map(
      invoices.map((invoice) => [
        invoice.id,
        {
          invoice,
          company: byId.get(invoice.companyId) ?? null,
          workCompanies: companyIdsOf(invoice).flatMap((id) => byId.get(id) ?? []),
          prepaid: prepaid.invoices.filter(({ companyId }) => companyId === invoice.companyId),
          purchases: prepaid.purchases,
          contractInvoices: ofCredits.flatMap((other) =>
            other.id === invoice.id
              ? []
              : [{ lines: other.lines, isBefore: other.isPosted || (other.isExpected && isEarlier(other, invoice)) }],
          ),
          numbered: byNumber.get(withoutSentinel(invoice.number)) ?? [],
        },
      ]),
    );
  },

  decide(run, shared, read, request, known) {
    const { posting, gone } = known;
    const { invoice } = read;
    const usesPsa = usesPsaNumber(shared.settings.inv_numbering_option);
    const psaReference = unlessGone('invoice', syncedReference(invoice, usesPsa), gone);
    if (posting !== null && !request.force && !invoice.isVoided) {
      const known = referenceOfPosting('invoice', posting);
      if (psaReference === known) return skipSynced(known);
      if (lacksNumber({ type: posting.targetType, number: posting.number }))
        return refuseWithoutNumber(run, { kind: 'invoice', psaId: invoice.id }, posting);
      const fields = { reference: invoice.number, exportedAt: invoice.exportedAt };
      return { outcome: 'relink', posting, mark: errorMark('invoice', fields, usesPsa), notes: [] };
    }
    // Synced by an earlier tool: the PSA shows a reference, but we have no posting. If we posted the document and it
    // was deleted, it is created again.
    if (psaReference !== null && !request.force && !invoice.isVoided) return skipSynced(psaReference);
    const decision = planInvoice({
      invoice,
      company: read.company,
      workCompanies: read.workCompanies,
      prepaid: read.prepaid,
      purchases: read.purchases,
      contractInvoices: read.contractInvoices,
      settings: shared.settings,
      itemSettings: shared.itemSettings,
      mappings: shared.mappings,
      psa: shared.psa,
      accounting: shared.accounting,
      numberTakenBy: takenByAnother(run, read, request, known),
      ...psaNames(run.psa),
      now: run.context.clock.now(),
      mode: request.mode,
      trigger: request.trigger,
      generation: request.generation,
    });
    if (decision.outcome !== 'plan') return decision;
    const fields = { reference: invoice.number, exportedAt: invoice.exportedAt };
    return { outcome: 'plan', plan: decision.plan, mark: errorMark('invoice', fields, usesPsa) };
  },

  describe: ({ psa, accounting }, { invoice, company }) => describeDocument({ invoice, company, psa, accounting }),

  findObstacle: async (run, psaId, request) =>
    (await decideBesideDifferences(run, psaId, request.revises === true && !request.force)) ??
    (await decideEnteredAgain(run, psaId, request)),
  findLinked: readEnteredAgain,
  psaTotal: ({ invoice }) => invoice.total,

  findDifferences: (psaLabel, { accounting, mappings }, { invoice, company }, document, postedTotal) =>
    differencesOfLink({
      invoice,
      company,
      document: { ...document, customer: document.party },
      postedTotal,
      accounting,
      mappings,
      psaLabel,
    }),

  // Documents with the invoice's number have already been read.
  mayBeInAccounting: ({ settings }, { numbered }) => isNumberedByAccounting('invoice', settings) || numbered.length > 0,

  statusField: {
    async read(run, settings, ids) {
      const usesPsa = usesPsaNumber(settings.inv_numbering_option);
      return new Map(
        (await run.psa.findInvoices({ ids })).map((head) => {
          const reference = syncedReference(head, usesPsa);
          const stale = head.isVoided ? invoiceMessages.voided(run.psa.describe.label) : null;
          return [head.id, { reference, stale, alreadySynced: reference === null ? null : alreadySynced(reference) }];
        }),
      );
    },
    write: (psa, psaId, number, exportedAt) =>
      psa.writeInvoice(psaId, { number, ...(exportedAt !== undefined && { exportedAt }) }),
  },
};

/** Returns the companies of an invoice: the billed one, and those the work was done for. */
const companyIdsOf = ({ companyId, lines }: Invoice): readonly number[] => [
  ...new Set([companyId, ...lines.flatMap((line) => line.companyId ?? [])]),
];

/** Reads the purchases of the prepaid contracts with covered work, and their invoices that are or will be synced. */
async function readPrepaid(run: Searcher, settings: Settings, invoices: readonly Invoice[]) {
  const lists = await loadPsaReference(run.context, { maxAgeSeconds: listsMaxAgeSeconds }, run.psa);
  const { prepaidUnits } = indexPsa(lists);
  const covered = invoices.flatMap(({ lines }) =>
    lines.flatMap((line) => (isPrepaidWork(line, line.amount, prepaidUnits) ? (line.contractId ?? []) : [])),
  );
  const contractIds = [...new Set(covered)];
  if (contractIds.length === 0) return { invoices: [], purchases: [] };
  const units = new Set(contractIds.flatMap((id) => prepaidUnits.get(id) ?? []));
  const [read, purchases] = await inParallel([
    readPrepaidInvoices(run, settings, contractIds),
    run.psa.readPurchases(units, contractIds),
  ]);
  return { invoices: read, purchases: purchases ?? [] };
}

/**
 * Reads the invoices of prepaid contracts that are or will be synced. Omits a sale from before the first sync, because
 * we did not post its money to the prepaid account.
 */
async function readPrepaidInvoices(
  run: Searcher,
  settings: Settings,
  contractIds: readonly number[],
): Promise<InvoiceFacts['prepaid']> {
  const found = await run.psa.readContractInvoices(contractIds);
  const postings = await run.context.store.listPostings(
    'invoice',
    found.map(({ id }) => id),
  );
  const posted = new Map(postings.flatMap((one) => (isInAccounting(one.status) ? [[one.psaId, one] as const] : [])));
  const documents = await readPosted(run, posted);
  const from = oldestOf(run, settings, settings.sync_start_date);
  const usesPsa = usesPsaNumber(settings.inv_numbering_option);
  return found.flatMap((invoice) => {
    const isPosted = posted.has(invoice.id);
    const isExpected = invoice.createdAt >= from && syncedReference(invoice, usesPsa) === null;
    const document = documents.get(invoice.id);
    return isPosted || isExpected ? [{ ...invoice, isPosted, ...(document !== undefined && { document }) }] : [];
  });
}

/**
 * Reads the invoices of contracts in the order in which their credits count: those in QuickBooks first, then those that
 * will be synced, by creation. Credits of other invoices do not count.
 */
async function readCreditedInvoices(
  run: Searcher,
  settings: Settings,
  contractIds: readonly number[],
): Promise<readonly (Invoice & { readonly isPosted: boolean; readonly isExpected: boolean })[]> {
  const found = await run.psa.readContractInvoices(contractIds);
  const postings = await run.context.store.listPostings(
    'invoice',
    found.map(({ id }) => id),
  );
  const posted = new Set(postings.flatMap(({ psaId, status }) => (isInAccounting(status) ? [psaId] : [])));
  const from = oldestOf(run, settings, settings.sync_start_date);
  const usesPsa = usesPsaNumber(settings.inv_numbering_option);
  return found
    .map((invoice) => ({
      ...invoice,
      isPosted: posted.has(invoice.id) || syncedReference(invoice, usesPsa) !== null,
      isExpected: invoice.createdAt >= from,
    }))
    .sort((a, b) => Number(b.isPosted) - Number(a.isPosted) || (isEarlier(a, b) ? -1 : 1));
}

const isEarlier = (one: Invoice, other: Invoice): boolean =>
  one.createdAt === other.createdAt ? one.id < other.id : one.createdAt < other.createdAt;

/** Reads the QuickBooks invoices of postings, by invoice id; none while QuickBooks reads are blocked. */
async function readPosted(
  run: Searcher,
  posted: ReadonlyMap<number, Posting>,
): Promise<ReadonlyMap<number, AccountingDocument | null>> {
  const links = [...posted].flatMap(([psaId, { targetType: type, targetId: id }]) =>
    type === 'Invoice' && id !== null ? [{ psaId, type, id } as const] : [],
  );
  const documents = await unlessReadsAreBlocked(run.accounting.readDocuments(links), null);
  if (documents === null) return new Map();
  const byId = new Map(documents.map((document) => [document.id, document]));
  return new Map(links.map(({ psaId, id }) => [psaId, byId.get(id) ?? null]));
}

const isInAccounting = (status: PostingStatus): boolean => status === 'synced' || status === 'unconfirmed';

const oldestOf = (run: Searcher, settings: Settings, startOn: CalendarDate | null): Instant =>
  thresholdOf(run.context.clock.now(), run.tenant.timeZone, settings.inv_max_age_days, startOn);

/** Returns invoices that have had the in-process text for a long time, although no sync is running. */
async function stale(run: Searcher, ids: readonly number[]): Promise<readonly number[]> {
  if (ids.length === 0) return [];
  const { store, clock } = run.context;
  const now = clock.now();
  const busy = new Set(await store.listBusy('invoice'));
  const since = await store.noteFoundMarks(
    'invoice',
    ids.filter((id) => !busy.has(id)),
    now,
  );
  return [...since].flatMap(([id, seenAt]) => (seenAt <= addSeconds(now, -staleAfterSeconds) ? [id] : []));
}

/**
 * Returns the first document with the invoice's number that we did not post for it. A document that names the invoice
 * as its source is ours even if the ledger does not have it.
 */
const takenByAnother = (
  { psa }: Searcher,
  { invoice, numbered }: InvoiceRead,
  { force }: Pick<AttemptRequest, 'force'>,
  { posting, gone, current }: KnownDocument,
): NumberedDocument | null => {
  const own = force ? null : (posting?.targetId ?? current?.document.id ?? null);
  const isUnknown = !force && posting === null && gone === null;
  const origin = originText(psa.describe.label, 'invoice', invoice.id);
  return (
    numbered.find(({ id, privateNote }) => id !== own && !(isUnknown && isSameOrigin(privateNote, origin))) ?? null
  );
};
