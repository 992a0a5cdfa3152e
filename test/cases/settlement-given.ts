import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import { unknownPayment, type PaymentState } from '#core/documents/payment.ts';
import type { SalesState } from '#core/documents/sales-state.ts';
import { planPayment, type OurPayment, type PaymentDecision, type PaymentFacts } from '#core/planning/plan-payment.ts';
import { planVoid, type VoidDecision, type VoidFacts } from '#core/planning/plan-void.ts';
import type { Edit } from '#core/reconciliation/drift.ts';
import { calendarDate, instant } from '#core/values/dates.ts';
import { decimal } from '#core/values/decimal.ts';
import { accounting, companies, mappings, menus, settings } from './sample-world.ts';
import { salesState } from './sample-documents.ts';

/** The state of both services. */
export interface SettlementGiven {
  readonly about: string;
  /** The invoice in Autotask. */
  readonly invoice?: Partial<PaymentFacts['invoice'] & VoidFacts['invoice']>;
  readonly companyId?: number;
  /** The posted document; null: none, or one of an earlier tool. */
  readonly link?: (Partial<PaymentFacts['link']> & { readonly type?: string }) | null;
  /** The document in QuickBooks; null: deleted. */
  readonly document?: Partial<SalesState> | null;
  readonly appliedOn?: PaymentFacts['appliedOn'];
  readonly unapplied?: PaymentFacts['unapplied'];
  readonly state?: Partial<PaymentState>;
  readonly isPaidByUs?: boolean;
  readonly ourPayment?: OurPayment;
  readonly edits?: readonly Edit[];
  readonly isAfterGap?: boolean;
  readonly settings?: Partial<PaymentFacts['settings'] & VoidFacts['settings']>;
  /** The document's lines, for a credit memo. */
  readonly lines?: AccountingDocument['lines'];
  /** The document's location. */
  readonly locationId?: string;
  readonly closedThrough?: PaymentFacts['invoice']['paidOn'];
  readonly now?: string;
}

const document = salesState({ changedAt: instant('2025-03-03T15:00:08Z'), document: {} });
const invoice = {
  id: 48_213,
  number: '1042',
  total: decimal('1966.25'),
  paidOn: null,
  isVoided: false,
};
const documentOf = (given: SettlementGiven): SalesState | null =>
  given.document === null ? null : { ...document, ...given.document };
const preferences = (given: SettlementGiven) => ({
  ...accounting.preferences,
  closedThrough: given.closedThrough ?? accounting.preferences.closedThrough,
});

/** Returns the facts of a payment. */
export function paymentFactsOf(given: SettlementGiven): PaymentFacts {
  const total = given.document?.total ?? document.total;
  return {
    invoice: { ...invoice, total, ...given.invoice },
    link: { id: '9177', number: '1042', total, psaTotal: total, ...given.link },
    document: documentOf(given),
    appliedOn: given.appliedOn ?? [],
    unapplied: given.unapplied ?? decimal('0'),
    state: { ...unknownPayment(given.invoice?.id ?? invoice.id), isDue: true, ...given.state },
    isPaidByUs: given.isPaidByUs ?? false,
    ourPayment: given.ourPayment ?? null,
    edits: given.edits ?? [],
    isAfterGap: given.isAfterGap ?? false,
    isConfirmed: false,
    settings: { ...settings, ...given.settings },
    preferences: preferences(given),
    paidFrom: calendarDate('2025-02-17'),
    now: instant(given.now ?? '2025-03-03T15:00:07Z'),
    timeZone: 'America/Chicago',
    psaLabel: 'Autotask',
    psaMenus: menus,
  };
}

/** Returns the facts of a void. */
export function voidFactsOf(given: SettlementGiven): VoidFacts {
  const found = documentOf(given);
  const { link = {} } = given;
  return {
    invoice: { ...invoice, isVoided: true, ...given.invoice },
    company: companies.find(({ id }) => id === (given.companyId ?? 175)) ?? null,
    link: link === null ? null : { type: 'Invoice', id: '9177', number: '1042', ...link },
    documents: found === null ? [] : [found],
    accounting: { ...accounting, preferences: preferences(given) },
    mappings,
    settings: { ...settings, ...given.settings },
    lines:
      found === null || given.lines === undefined
        ? null
        : {
            ...found,
            type: found.type,
            party: found.customer,
            dueOn: null,
            exchangeRate: decimal('1'),
            isOpen: null,
            changedBy: null,
            links: [],
            lines: given.lines,
            locationId: given.locationId ?? null,
          },
    credit: null,
    difference: null,
    today: calendarDate((given.now ?? '2025-03-03').slice(0, 10)),
    psaLabel: 'Autotask',
  };
}

/** Decides a case, by its kind. */
export const decideSettlement: Readonly<Record<string, (given: SettlementGiven) => PaymentDecision | VoidDecision>> = {
  payment: (given) => planPayment(paymentFactsOf(given)),
  void: (given) => planVoid(voidFactsOf(given)),
};
