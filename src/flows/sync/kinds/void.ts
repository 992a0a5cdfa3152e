import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import type { LedgerEntry } from '#core/documents/accounting-report.ts';
import type { InvoiceHead } from '#core/documents/invoice.ts';
import type { Company } from '#core/documents/party.ts';
import type { SalesReference, SalesState } from '#core/documents/sales-state.ts';
import { inParallel } from '#core/in-parallel.ts';
import { thresholdOf } from '#core/planning/eligibility.ts';
import { isCreditMemo, voidMessages } from '#core/planning/messages.ts';
import { describeDocument } from '#core/planning/invoice-content.ts';
import { isCreditedBy, planVoid } from '#core/planning/plan-void.ts';
import type { Posting } from '#core/records/postings.ts';
import type { Problem } from '#core/problems.ts';
import { namedSource } from '#core/reconciliation/named-source.ts';
import { withoutSentinel } from '#core/sync-status.ts';
import { addDays, addSeconds, dateIn } from '#core/values/dates.ts';
import { negate } from '#core/values/decimal.ts';
import { differenceProblem, currentDifferences, referencesOf } from './current-differences.ts';
import type { KindFlow, Searcher } from './kind.ts';
import { reasonOf } from '../suppression.ts';
import { claimsInHome, prepaidKey, readPrepaidEntries } from '../prepaid-entries.ts';

/** Facts of one void, in addition to those that a job shares. */
export interface VoidRead {
  readonly invoice: InvoiceHead;
  readonly company: Company | null;
  /** The document that we posted for the invoice, according to the ledger. */
  readonly link: (SalesReference & { readonly number: string | null }) | null;
  readonly documents: readonly SalesState[];
  /** The linked document with its lines, if a credit memo may have to be created from it. */
  readonly lines: AccountingDocument | null;
  /** The credit memo that already cancels it, even if the ledger does not have it. */
  readonly credit: AccountingDocument | null;
  /** The credit memo that we posted for it was deleted or voided in QuickBooks. */
  readonly isCreditGone: boolean;
  readonly difference: Problem | null;
  /** All entries of the account for prepaid money. */
  readonly prepaid: readonly LedgerEntry[];
}

/** Results of a void after which there is nothing more to do. */
const settledReasons: ReadonlySet<string> = new Set(['not_found_in_accounting', 'already_credited']);

/**
 * Voids: an invoice that was voided in the PSA is voided in QuickBooks, by the rules of domain reference 7. Applied
 * payments may change at any moment, so they are read right before the document is voided.
 */
export const voidFlow: KindFlow<VoidRead> = {
  kind: 'void',
  changesOnly: true,

  invoiceSearch: (run, settings, { startOn }) => ({
    voided: true,
    voidedFrom: thresholdOf(run.context.clock.now(), run.tenant.timeZone, settings.void_max_age_days, startOn),
  }),

  async findCandidates(run, _settings, _search, heads) {
    const { store } = run.context;
    const ids = (heads ?? []).map(({ id }) => id).sort((a, b) => a - b);
    if (heads !== null) await noteTakenBack(run, new Set(ids));
    if (ids.length === 0) return { ids: [], isSettled: true };
    const [posted, voided, suppressions, underWay] = await inParallel([
      store.listPostings('invoice', ids),
      store.listPostings('void', ids),
      store.listSuppressions('void', ids),
      store.listBusy('invoice'),
    ]);
    const repeated = await forgetGoneCredits(run, heads ?? [], voided);
    const settled = new Set([
      ...[...currentPostings(posted)].flatMap(([id, { status }]) => (isGone(status) ? [id] : [])),
      ...voided.flatMap(({ psaId, status }) => (status === 'synced' && !repeated.has(psaId) ? [psaId] : [])),
      ...[...suppressions].flatMap(([id, suppression]) =>
        settledReasons.has(reasonOf(suppression) ?? '') ? [id] : [],
      ),
      // An invoice with an unfinished sync is left for later, because there may be nothing to void.
      ...underWay,
    ]);
    return { ids: ids.filter((id) => !settled.has(id)), isSettled: !underWay.some((id) => ids.includes(id)) };
  },

  async gather(run, settings, psaIds) {
    const [inPsa, posted] = await inParallel([
      run.psa.findInvoices({ ids: psaIds }),
      run.context.store.listPostings('invoice', psaIds),
    ]);
    const links = new Map([...currentPostings(posted)].flatMap(([id, posting]) => linkOf(id, posting)));
    const invoices: InvoiceHead[] = [];
    // One after another: few were cleared, and each needs a separate query.
    for (const head of inPsa) invoices.push(links.has(head.id) ? head : await withClearedNumber(run, head));
    const unlinked = invoices.filter(({ id }) => !links.has(id));
    const isCredited = settings.void_across_months === 'credit_memo';
    const [linkedDocuments, whole, numbered, companies, billed, prepaid] = await inParallel([
      run.accounting.readSales([...links.values()]),
      isCredited ? run.accounting.readDocuments([...links.values()]) : [],
      findNumbered(run, unlinked),
      run.psa.readCompanies([...new Set(unlinked.map(({ companyId }) => companyId))]),
      currentDifferences(run, psaIds),
      readPrepaidEntries(run, settings.prepaid_account),
    ]);
    const credits = await readCredits(run, links, whole);
    const gone = await goneCredits(run, psaIds);
    return new Map(
      invoices.map((invoice) => {
        const link = links.get(invoice.id) ?? null;
        const credit = credits.get(invoice.id) ?? null;
        const company = companies.find(({ id }) => id === invoice.companyId) ?? null;
        const number = withoutSentinel(invoice.number);
        const documents =
          link === null
            ? numbered.filter((document) => number !== '' && document.number === number)
            : linkedDocuments.filter(({ type, id }) => type === link.type && id === link.id);
        const lines = whole.find(({ type, id }) => type === link?.type && id === link.id) ?? null;
        const difference = differenceProblem(invoice.id, run.psa.describe.label, billed.get(invoice.id) ?? []);
        return [
          invoice.id,
          { invoice, company, link, documents, lines, credit, isCreditGone: gone.has(invoice.id), difference, prepaid },
        ];
      }),
    );
  },

  decide(run, shared, read, request, { posting }) {
    const { invoice, link } = read;
    if (posting?.status === 'synced' && !read.isCreditGone)
      return {
        outcome: 'skip',
        reason: 'already_voided',
        message: voidMessages.alreadyVoided,
        isLoggedOnce: true,
        notes: [],
      };
    const key = prepaidKey({ kind: 'void', psaId: invoice.id });
    shared.prepaid.claims.delete(key);
    const decision = planVoid({
      ...read,
      accounting: shared.accounting,
      mappings: shared.mappings,
      settings: shared.settings,
      prepaidClaims: claimsInHome(shared),
      isDecided: request.revises === true,
      today: dateIn(run.context.clock.now(), run.tenant.timeZone),
      psaLabel: run.psa.describe.label,
    });
    if (decision.outcome === 'plan') {
      const { plan } = decision;
      if (plan.prepaid !== undefined) shared.prepaid.claims.set(key, plan.prepaid);
      return { outcome: 'plan', plan, mark: null };
    }
    if (decision.outcome === 'refuse') return decision;
    const { postingStatus: status, ...skip } = decision;
    const marks =
      status === null || link === null
        ? null
        : ({ kind: 'invoice', psaId: invoice.id, targetId: link.id, status } as const);
    return { ...skip, marks };
  },

  describe({ psa, accounting }, { invoice, company, link, documents }, plan) {
    const document = describeDocument({ invoice, company, psa, accounting });
    const [known] = documents;
    return {
      ...document,
      // The voided amount is in QuickBooks, which may use a different currency than the PSA.
      ...(plan !== null &&
        known !== undefined && {
          amount: known.type === 'CreditMemo' ? negate(known.total) : known.total,
          currency: known.currency ?? accounting.preferences.homeCurrency,
        }),
      number: link?.number ?? document.number ?? known?.number ?? null,
      party: document.party ?? known?.customer.name ?? null,
    };
  },

  psaTotal: ({ invoice }) => invoice.total,

  // A credited invoice stays unchanged.
  afterPosting: (_run, psaId, plan, { id: targetId }) =>
    Promise.resolve({
      effects: isCreditMemo(plan) ? {} : { marksPosting: { kind: 'invoice', psaId, targetId, status: 'voided' } },
    }),
};

/** Days after it was posted for which a reversing credit memo is compared with its invoice in the PSA. */
const watchedDays = 90;

/**
 * Notices voids that were taken back in the PSA, which leave the search for voided invoices, and those that were repeated
 * after they were reported: the payment sync checks them.
 *
 * @param voided invoices that the search found
 */
async function noteTakenBack({ context, psa }: Searcher, voided: ReadonlySet<number>): Promise<void> {
  const { store, clock } = context;
  const since = addSeconds(clock.now(), -watchedDays * 86_400);
  const posted = await store.listPostings('void', await store.listPostedSince('void', since));
  const ids = [...currentPostings(posted)].flatMap(([psaId, posting]) => (isReversal(posting) ? [psaId] : []));
  if (ids.length === 0) return;
  const others = ids.filter((id) => !voided.has(id));
  const [heads, suppressions] = await inParallel([
    others.length === 0 ? [] : psa.findInvoices({ ids: others }),
    store.listSuppressions('payment', ids),
  ]);
  const takenBack = new Set(heads.flatMap(({ id, isVoided }) => (isVoided ? [] : [id])));
  const isReported = (id: number): boolean =>
    reasonOf(suppressions.get(id))?.split('+').includes('VOID_TAKEN_BACK') === true;
  const changed = ids.filter((id) => takenBack.has(id) !== isReported(id));
  await store.savePaymentStates(changed.map((psaId) => ({ psaId, isDue: true })));
}

/**
 * Forgets credit memos that were deleted or voided before their invoices were voided again, so that another one is posted.
 *
 * @returns those invoices
 */
async function forgetGoneCredits(
  { context, accounting }: Searcher,
  heads: readonly InvoiceHead[],
  voids: readonly Posting[],
): Promise<ReadonlySet<number>> {
  const voidedAt = new Map(heads.map((head) => [head.id, head.voidedAt]));
  const repeated = [...currentPostings(voids).values()].filter(
    (posting) => isReversal(posting) && (voidedAt.get(posting.psaId) ?? posting.createdAt) > posting.createdAt,
  );
  if (repeated.length === 0) return new Set();
  const found = await accounting.readSales(referencesOf(repeated));
  const live = new Set(found.flatMap(({ id, isVoided }) => (isVoided ? [] : [id])));
  const gone = repeated.filter(({ targetId }) => targetId === null || !live.has(targetId));
  for (const { id } of gone) await context.store.markPosting(id, 'deleted_in_accounting');
  return new Set(gone.map(({ psaId }) => psaId));
}

const isReversal = ({ targetType, status }: Posting): boolean => targetType === 'CreditMemo' && status === 'synced';

/** Returns the present posting of each document, which the store lists last. */
const currentPostings = (postings: readonly Posting[]): ReadonlyMap<number, Posting> =>
  new Map(postings.map((posting) => [posting.psaId, posting]));

const isGone = (status: Posting['status']): boolean => status === 'voided' || status === 'deleted_in_accounting';

function linkOf(
  psaId: number,
  { status, targetType, targetId, number }: Posting,
): [number, NonNullable<VoidRead['link']>][] {
  if ((status !== 'synced' && status !== 'unconfirmed') || targetType === null || targetId === null) return [];
  return [[psaId, { type: targetType, id: targetId, number }]];
}

/** Returns the invoices whose reversing credit memo we posted and QuickBooks no longer has, or has as void. */
async function goneCredits(run: Searcher, psaIds: readonly number[]): Promise<ReadonlySet<number>> {
  const posted = (await run.context.store.listPostings('void', psaIds)).filter(
    ({ targetType }) => targetType === 'CreditMemo',
  );
  const references = referencesOf(posted);
  if (references.length === 0) return new Set();
  const live = new Set(
    (await run.accounting.readSales(references)).flatMap(({ id, isVoided }) => (isVoided ? [] : [id])),
  );
  return new Set(
    [...currentPostings(posted)].flatMap(([psaId, { targetId }]) =>
      targetId === null || live.has(targetId) ? [] : [psaId],
    ),
  );
}

/** Maximum days ahead for the date of a document, needed when QuickBooks is closed through a future day. */
const daysAhead = 400;

/**
 * Returns the credit memos that cancel voided invoices, by invoice. Identifies them by their notes, because a ledger
 * restored from a backup is older than QuickBooks. A credit memo entered by a user has the invoice's number in its
 * note.
 *
 * @param links the documents of the invoices, by invoice
 * @param invoices the documents that may have been credited.
 */
async function readCredits(
  run: Searcher,
  links: ReadonlyMap<number, SalesReference>,
  invoices: readonly AccountingDocument[],
): Promise<ReadonlyMap<number, AccountingDocument>> {
  const found = new Map<number, AccountingDocument>();
  const { accounting, psa, context, tenant } = run;
  const through = addDays(dateIn(context.clock.now(), tenant.timeZone), daysAhead);
  const customers = Map.groupBy(invoices, ({ party }) => party.id);
  for (const [customerId, own] of customers) {
    const from = own.map(({ datedOn }) => datedOn).sort()[0] ?? through;
    for (const document of await accounting.listDocuments({ from, through }, ['CreditMemo'], customerId)) {
      if (document.isVoided) continue;
      const source = namedSource(document, psa.describe.label);
      if (source?.kind === 'void') found.set(source.psaId, document);
      if (source !== null) continue;
      const invoice = own.find((one) => isCreditedBy(one, document));
      for (const [psaId, { type, id }] of links)
        if (invoice !== undefined && type === invoice.type && id === invoice.id) found.set(psaId, document);
    }
  }
  return found;
}

/** Maximum audit entries of one invoice that are searched; an invoice is rarely cleared twice. */
const clearedEntries = 20;

/**
 * Returns an invoice with the number that it had before a user cleared its status. A document posted by an earlier tool
 * is found only by that number; without it, the void would report “not found” while money is still open.
 */
async function withClearedNumber({ context }: Searcher, invoice: InvoiceHead): Promise<InvoiceHead> {
  if (withoutSentinel(invoice.number) !== '') return invoice;
  const { events } = await context.store.listAudit({
    actions: ['sync_status.cleared'],
    subject: 'invoice',
    text: `"${invoice.id}":`,
    page: 1,
    pageSize: clearedEntries,
  });
  const numbers = events.map(({ before }) => {
    const number = Object.entries(before ?? {}).find(([id]) => id === String(invoice.id))?.[1];
    return typeof number === 'string' ? withoutSentinel(number) : '';
  });
  return { ...invoice, number: numbers.find((number) => number !== '') ?? invoice.number };
}

/**
 * Returns the QuickBooks documents with the numbers of invoices without a link, except those that we posted: they belong
 * to other invoices.
 */
async function findNumbered(run: Parameters<typeof voidFlow.gather>[0], invoices: readonly InvoiceHead[]) {
  const numbers = invoices.map(({ number }) => withoutSentinel(number)).filter((number) => number !== '');
  if (numbers.length === 0) return [];
  const found = await run.accounting.findNumbered([...new Set(numbers)]);
  const ours = await run.context.store.findPostings(
    'invoice',
    found.map(({ id }) => id),
  );
  const ids = new Set(invoices.map(({ id }) => id));
  const others = new Set(
    ours.flatMap(({ psaId, targetType, targetId }) => (ids.has(psaId) ? [] : [`${targetType} ${targetId}`])),
  );
  // A restored ledger may lack the posting, but the note names the invoice.
  const isOthers = ({ type, id, privateNote }: (typeof found)[number]) => {
    const source = namedSource({ type, privateNote }, run.psa.describe.label);
    return others.has(`${type} ${id}`) || (source !== null && !ids.has(source.psaId));
  };
  return run.accounting.readSales(found.filter((one) => !isOthers(one)));
}
