import {
  applyMoney,
  clearStatus,
  createPayment,
  held,
  openIn,
  person,
  postAgain,
  screens,
  setting,
  updateAccounting,
  warning,
} from './entry.ts';
import type { PsaMenus } from '../ports/psa.ts';
import { dayText, type CalendarDate } from '../values/dates.ts';

/** Why a QuickBooks document is not updated from the PSA. */
const whyNotUpdated = {
  gone: 'it no longer exists in QuickBooks',
  changed: 'it was changed in QuickBooks',
  paid: 'a payment or receipt is applied to it',
  billed: 'a vendor bill is linked to it, or it was closed there',
  closed: 'the books are closed for its date',
  form: 'it would become another type of document, or several documents',
  kept: 'all remaining differences were entered in QuickBooks, and an update keeps those',
} as const;
export type WhyNotUpdated = keyof typeof whyNotUpdated;

/** Why the difference of an invoice is not billed. */
const whyNotBilled = {
  gone: 'its document no longer exists in QuickBooks',
  voided: 'it is voided',
  customer: 'its document belongs to another customer',
  currency: 'its document is in another currency',
  lines: 'its document has lines without an item',
  tax: 'only its sales tax differs',
  form: 'it can become neither an invoice nor a credit memo',
} as const;
export type WhyNotBilled = keyof typeof whyNotBilled;

/** Why a document was posted in addition to an invoice. */
const whyPosted = { reversal: 'reverses', difference: 'bills a difference of', payment: 'pays' } as const;

/** What became of a payment that no longer pays its invoice. */
const paymentIs = {
  unapplied: (payment: string, amount: string) => `${amount} of payment ${payment} is not applied to any invoice`,
  elsewhere: (payment: string, amount: string) => `payment ${payment} of ${amount} is applied to another document`,
  divided: (payment: string, amount: string) => `${amount} of payment ${payment} is applied to another document`,
  lower: (payment: string, amount: string) => `payment ${payment} was reduced to ${amount}`,
} as const;

/** What to do about a document that bills a difference, before its invoice can be changed. */
const differenceRemedies = {
  bill: 'Bill the difference under Month-end close (the month > Exceptions > Bill or Credit). It adds only what is not billed yet. Nothing was changed.',
  remove:
    'Void or delete that document in QuickBooks first: Sales > Invoices or All sales > the document > More > Void. Then try again. Otherwise the amount would count twice.',
  keep: 'Do not void or delete that document: a payment is applied to it. If the sale is right, leave both documents unchanged. If it was canceled, remove the payment in QuickBooks first (the document > the link under the total > the payment > uncheck the document > Save), or issue a credit memo.',
} as const;
type DifferenceRemedy = keyof typeof differenceRemedies;

/** Maximum number of documents that one message lists. */
const maxListed = 5;
const listOf = (money: readonly string[]): string =>
  [...money.slice(0, maxListed), ...(money.length > maxListed ? [`and ${money.length - maxListed} more`] : [])].join(
    ', ',
  );

interface WithMenus {
  readonly menus: PsaMenus;
}

/** Data for the problems of a posted document. */
interface SalesFacts {
  readonly psa: string;
  /** `Invoice`, unless it is something else. */
  readonly what?: string;
  readonly number: string;
}

/** Returns whether a document name of a problem is one of a purchase. */
export const isPurchase = (what: string): boolean => what === 'Purchase order' || what === 'Bill';

/** The document that a purchase has in the PSA. */
const inPsa = (what: string): string => (what === 'Bill' ? 'expense report' : what.toLowerCase());

/** Where QuickBooks lists a document. */
const placeOf = (what: string): string =>
  what === 'Bill'
    ? 'Expenses > Bills > the bill'
    : what === 'Purchase order'
      ? 'Expenses > Purchase orders > the order'
      : 'Sales > Invoices > the invoice';

const undoChange = (what: string): string =>
  `Compare both. If the change is a mistake, undo it in QuickBooks: ${placeOf(what)} > Edit. If it is right, make it in {psa} as well, or accept it under Month-end close with a reason. The QuickBooks audit log (Settings (gear) > Audit log) shows who changed it.`;

/** Ways to lower what a posted invoice sold. */
const usedBy = {
  void: 'Voiding it',
  update: 'Lowering it',
  move: 'Moving it to another customer',
  difference: 'Crediting the difference',
} as const;

/** Problems that come up after a document was posted: changes, voids and payments on one side. */
export const afterPostingProblems = {
  VOID_HAS_PAYMENTS: person<{
    /** `Invoice`, unless it is something else. */
    readonly what?: string;
    readonly number: string;
    readonly amount: string;
  }>({
    message: ({ what = 'Invoice', number, amount }) => `${what} ${number} has ${amount} applied.`,
    remedy:
      'Open it in QuickBooks and remove the payment or credit: the link under the total > the payment > uncheck the invoice > Save. The void is then retried automatically. If the customer owes the money, keep both and issue a credit memo instead.',
    repairs: ({ what = 'Invoice', number }) => [openIn('accounting', `${what.toLowerCase()} ${number}`)],
  }),
  PREPAID_MONEY_USED: person<{
    readonly psa: string;
    readonly number: string;
    readonly party: string;
    readonly amount: string;
    /** Undefined means a void. */
    readonly by?: 'update' | 'move' | 'difference' | 'new';
  }>({
    message: ({ number, party, amount, by }) =>
      by === 'new'
        ? `${number} takes more prepaid money than QuickBooks has. It would make the prepaid balance of ${party} -${amount}. Nothing was posted.`
        : `Invoice ${number} sold prepaid work that was already used. ${usedBy[by ?? 'void']} would make the prepaid balance of ${party} -${amount}. Nothing was changed.`,
    remedy: ({ by, party }) =>
      by === undefined
        ? 'Invoice the prepaid work again in {psa} and sync that invoice; the void is then retried automatically.'
        : by === 'new'
          ? 'Sync the invoice that sold the prepaid work first, or lower what this invoice credits in {psa}. Then sync it again.'
          : by === 'move'
            ? `Map the company to ${party} again under Customer Mappings. Then update this invoice again.`
            : `Invoice more prepaid work in {psa} and sync that invoice, or correct the work that used it. Then ${by === 'update' ? 'update this invoice' : 'bill the difference'} again.`,
    repairs: ({ number, by }) => (by === 'new' ? [] : [openIn('accounting', `invoice ${number}`)]),
  }),
  PREPAID_MONEY_EXPIRED: person<{ readonly number: string; readonly party: string; readonly amount: string }>({
    message: ({ number, party, amount }) =>
      `${number} uses a prepaid purchase of ${party} that has ended, and ${amount} of its money is not in QuickBooks any more. The rest belongs to purchases that are still valid. Nothing was posted.`,
    remedy: ({ amount }) =>
      `If the money was posted to income, reverse ${amount} of that journal entry in QuickBooks, with the customer. Then sync again.`,
    repairs: () => [],
  }),
  PREPAID_BALANCE_UNREAD: held<{
    readonly number: string;
    readonly party: string;
    readonly amount: string;
    readonly until: CalendarDate;
  }>({
    message: ({ number, party, amount, until }) =>
      `${number} takes ${amount} of the prepaid money of ${party}. Its balance cannot be checked until ${dayText(until)}, because Intuit’s monthly limit of reads from QuickBooks is used up. Nothing was posted.`,
    remedy: 'No action needed: it is posted when QuickBooks can be read again.',
  }),
  PREPAID_RATE_DIFFERS: person<{
    readonly psa: string;
    readonly number: string;
    readonly party: string;
    /** Amount with its currency. */
    readonly amount: string;
  }>({
    message: ({ number, party, amount }) =>
      `${number} takes ${amount} of the prepaid money of ${party}, which was sold at another exchange rate, and bills other work. Nothing was posted.`,
    remedy:
      'Invoice the prepaid work separately in {psa}: void this invoice, then create one invoice for the prepaid work and one for the rest.',
    repairs: ({ number }) => [openIn('psa', number)],
  }),
  VOID_OF_AN_EARLIER_MONTH: person<{
    readonly psa: string;
    readonly what: string;
    readonly number: string;
    readonly datedOn: CalendarDate;
    readonly amount: string;
  }>({
    message: ({ psa, what, number, datedOn, amount }) =>
      `${what} ${number} of ${amount}, dated ${dayText(datedOn)}, was voided in ${psa}. Voiding it in QuickBooks would change a month that may already be reported. Nothing was changed.`,
    remedy:
      'In Settings, Voided invoices, choose how to handle voids of an earlier month. A credit memo dated today leaves that month unchanged; a void changes it. The choice is then applied automatically. For this document alone, void it in QuickBooks instead: Sales > Invoices > the invoice > More > Void. Do not do both.',
    screen: screens.settings,
    repairs: ({ what, number }) => [
      setting('void_across_months', 'credit_memo'),
      setting('void_across_months', 'void'),
      openIn('accounting', `${what.toLowerCase()} ${number}`),
    ],
  }),
  CREDIT_MEMO_NOT_VOIDED: person<{
    readonly psa: string;
    readonly number: string;
    /** The customer; null when it is not known. */
    readonly party: string | null;
    /** The day of the document in the PSA; null when it is not known. */
    readonly on: CalendarDate | null;
    readonly amount: string | null;
  }>({
    message: ({ psa, number, party, on, amount }) =>
      `Credit memo ${number}${party === null ? '' : ` of ${party}`}${amount === null ? '' : ` (${amount})`}${on === null ? '' : `, dated ${dayText(on)},`} was voided in ${psa}. QuickBooks does not let other applications void credit memos, so it is unchanged there.`,
    remedy:
      'Void it in QuickBooks: Sales > All sales > the credit memo > More > Void. Tallybridge detects the void automatically. If it is applied to an invoice, remove it from that invoice first. Do not enter an invoice against it: the customer would be billed for that amount.',
    repairs: ({ number }) => [openIn('accounting', `credit memo ${number}`)],
  }),
  CREDIT_TO_APPLY: warning<{ readonly number: string; readonly amount: string }>({
    message: ({ number, amount }) => `The credit memo of ${amount} is not applied to invoice ${number}; both are open.`,
    remedy:
      'Apply it in QuickBooks, unless QuickBooks applies credits automatically: Sales > Invoices > the invoice > Receive payment, check the invoice and the credit > Save. Do not void the invoice as well: its amount would be deducted twice.',
    repairs: ({ number }) => [openIn('accounting', `invoice ${number}`)],
  }),
  LINK_DIFFERS: person<{
    readonly psa: string;
    /** The QuickBooks document, e.g. `invoice` or `bill`. Undefined means an invoice. */
    readonly what?: string;
    readonly number: string;
    /** Both sides of each, e.g. `1,228.00, Autotask has 2,228.00`. */
    readonly differences: string;
  }>({
    message: ({ number, differences }) => `QuickBooks document ${number} differs from this one: ${differences}.`,
    remedy:
      'Compare both documents. If they do not belong together, sync this one again as a new document. If they do, correct the wrong side.',
    repairs: ({ what = 'invoice', number }) => [postAgain, openIn('accounting', `${what} ${number}`)],
  }),
  EXTRA_GONE: person<
    SalesFacts & {
      /** Number of the invoice that it belongs to. */
      readonly invoice: string;
      readonly role: keyof typeof whyPosted;
      readonly isVoided: boolean;
    }
  >({
    message: ({ what = 'Credit memo', number, invoice, role, isVoided }) =>
      `${what} ${number}, which ${whyPosted[role]} invoice ${invoice}, ${isVoided ? 'was voided in' : 'no longer exists in'} QuickBooks.`,
    remedy: ({ role }) =>
      role === 'reversal'
        ? 'The QuickBooks audit log (Settings (gear) > Audit log) shows who did it. The customer owes the voided invoice again. If it was a mistake, post it again under Month-end close (the month > Exceptions > Post the credit memo again). If the sale is right, reverse the void in {psa}.'
        : 'The QuickBooks audit log (Settings (gear) > Audit log) shows who did it. If it was a mistake, bill the difference again under Month-end close (the month > Exceptions > Bill the difference again). If it is right, correct the invoice in {psa}.',
    repairs: ({ invoice }) => [openIn('accounting', `invoice ${invoice}`), openIn('psa', `invoice ${invoice}`)],
  }),
  VOID_TAKEN_BACK: person<{
    readonly psa: string;
    readonly number: string;
    readonly memo: string;
    readonly amount: string;
  }>({
    message: ({ psa, number, memo, amount }) =>
      `Invoice ${number} is not voided in ${psa} any more, but credit memo ${memo} of ${amount} still reverses it in QuickBooks.`,
    remedy:
      'If the sale is right, void or delete the credit memo in QuickBooks: Sales > All sales > the credit memo > More > Void. If not, void the invoice in {psa} again.',
    repairs: ({ number, memo }) => [openIn('accounting', `credit memo ${memo}`), openIn('psa', `invoice ${number}`)],
  }),
  MISSING_IN_BOOKS: person<SalesFacts & WithMenus>({
    message: ({ what = 'Invoice', number }) => `${what} ${number} no longer exists in QuickBooks.`,
    remedy: ({ what = 'Invoice', menus }) =>
      isPurchase(what)
        ? `The QuickBooks audit log (Settings (gear) > Audit log) shows who deleted it and when. If it was deleted by mistake, post it again from here. If it is not needed, cancel the ${inPsa(what)} in {psa}, or accept it under Month-end close with a reason. Do not enter it in QuickBooks by hand: a copy is not linked.`
        : `The QuickBooks audit log (Settings (gear) > Audit log) shows who deleted it and when. If the sale did not happen, void it in {psa}: ${menus.voidInvoice}. If it was deleted by mistake, post it again from here; it gets a new number. Do not enter it in QuickBooks by hand: a copy is not linked, and its payments are not synced.`,
    repairs: ({ what = 'Invoice', number }) => [
      postAgain,
      openIn('psa', isPurchase(what) ? `the ${inPsa(what)}` : `invoice ${number}`),
    ],
  }),
  VOIDED_IN_BOOKS: person<
    SalesFacts & WithMenus & { /** When it was changed there last. */ readonly on: CalendarDate }
  >({
    message: ({ what = 'Invoice', psa, number, on }) =>
      `${what} ${number} was voided in QuickBooks but not in ${psa}; it last changed there on ${dayText(on)}.`,
    remedy: ({ menus }) =>
      `The QuickBooks audit log (Settings (gear) > Audit log) shows who voided it and when. If the void was right, void it in {psa} as well: ${menus.voidInvoice}. If it was a mistake, post it again from here; it gets a new number. Do not enter it in QuickBooks by hand: a copy is not linked, and its payments are not synced.`,
    repairs: ({ number }) => [postAgain, openIn('psa', `invoice ${number}`)],
  }),
  CHANGED_SINCE: person<
    SalesFacts & {
      /** The side that has changed, e.g. `QuickBooks`. */
      readonly at: string;
      readonly before: string;
      readonly now: string;
    }
  >({
    message: ({ what = 'Invoice', at, number, before, now }) =>
      `${what} ${number} was synced with ${before} and is now ${now} in ${at}.`,
    remedy: ({ what = 'Invoice' }) =>
      isPurchase(what)
        ? undoChange(what)
        : 'Compare both. If the invoice is unpaid and its period is open, update QuickBooks. Otherwise bill the difference with a separate invoice or credit memo. Nothing changes automatically.',
    repairs: ({ what = 'Invoice', psa, at, number }) => [
      ...(at === psa ? [updateAccounting] : []),
      openIn('accounting', isPurchase(what) ? `${what.toLowerCase()} ${number}` : `invoice ${number}`),
    ],
  }),
  EDITED_IN_BOOKS: person<SalesFacts & { /** E.g. `customer Acme Dental → Birch Legal`. */ readonly changes: string }>({
    message: ({ what = 'Invoice', number, changes }) =>
      `${what} ${number} was changed in QuickBooks after it was synced: ${changes}.`,
    remedy: ({ what = 'Invoice' }) => undoChange(what),
    repairs: ({ what = 'Invoice', number }) =>
      isPurchase(what)
        ? [openIn('accounting', `${what.toLowerCase()} ${number}`), openIn('psa', `the ${inPsa(what)}`)]
        : [openIn('accounting', `invoice ${number}`), openIn('psa', `invoice ${number}`)],
  }),
  CANNOT_UPDATE: person<{ readonly name: string; readonly psa: string; readonly because: WhyNotUpdated }>({
    message: ({ name, because }) => `${name} was not updated in QuickBooks: ${whyNotUpdated[because]}.`,
    remedy: ({ because }) =>
      because === 'billed'
        ? 'Nothing was changed: an update would remove the link to the bill. Correct the order in QuickBooks by hand (Expenses > Purchase orders), or accept the difference under Month-end close with a reason.'
        : because === 'kept'
          ? 'Nothing was changed. Remove them in QuickBooks, enter them in {psa}, or accept the difference under Month-end close with a reason.'
          : 'Nothing was changed. Refresh the month under Month-end close. Then update the document, bill the difference of an invoice, or accept it with a reason.',
  }),
  CHANGED_ON_BOTH_SIDES: person<{
    readonly name: string;
    readonly psa: string;
    readonly number: string;
    /** Each with both values, e.g. `due date (QuickBooks: Mar 30, 2025; Autotask: Mar 15, 2025)`. */
    readonly changes: string;
  }>({
    message: ({ name, psa, changes }) =>
      `${name} was not updated in QuickBooks, because QuickBooks and ${psa} both changed these fields since it was synced: ${changes}.`,
    remedy:
      'Choose whose value each of these fields gets. The review shows the result before anything is sent; other changes in QuickBooks stay.',
    repairs: ({ number }) => [
      updateAccounting,
      { ...updateAccounting, prefers: 'psa' },
      { ...updateAccounting, prefers: 'accounting' },
      openIn('accounting', `document ${number}`),
    ],
  }),
  CANNOT_BILL_DIFFERENCE: person<{ readonly name: string; readonly psa: string; readonly because: WhyNotBilled }>({
    message: ({ name, because }) => `The difference of ${name.toLowerCase()} was not billed: ${whyNotBilled[because]}.`,
    remedy:
      'Nothing was posted. Compare both sides. Correct the wrong side, or enter the invoice or credit memo in QuickBooks (+ New > Invoice or Credit memo). Then accept the difference under Month-end close with a reason.',
  }),
  DIFFERENCE_STANDS: person<{
    readonly name: string;
    readonly psa: string;
    readonly number: string;
    readonly amount: string;
    readonly advice: DifferenceRemedy;
  }>({
    message: ({ name, number, amount }) =>
      `A later change of ${name.toLowerCase()} is billed by ${number} (${amount}).`,
    remedy: ({ advice }) => differenceRemedies[advice],
    repairs: ({ number }) => [openIn('accounting', `document ${number}`)],
  }),
  DIFFERENCE_OPEN: person<{
    readonly psa: string;
    readonly menus: PsaMenus;
    readonly number: string;
    readonly open: string;
    readonly paidOn: CalendarDate;
  }>({
    message: ({ psa, number, open, paidOn }) =>
      `${psa} shows invoice ${number} as paid on ${dayText(paidOn)}. A difference was billed later, and ${open} of it is open in QuickBooks.`,
    remedy: ({ menus }) =>
      `If the customer paid the difference, sync this payment by hand to record it in QuickBooks. If not, empty Paid Date in {psa} (${menus.invoice}) until the difference is paid.`,
    repairs: ({ number }) => [openIn('psa', `invoice ${number}`), openIn('accounting', `invoice ${number}`)],
  }),
  RENUMBERED_IN_BOOKS: person<SalesFacts & { readonly now: string }>({
    message: ({ what = 'Invoice', number, now }) => `${what} ${number} now has the number ${now} in QuickBooks.`,
    remedy: ({ what = 'Invoice' }) =>
      isPurchase(what)
        ? `Restore its number in QuickBooks: ${placeOf(what)} > Edit > Save. {psa} and the next syncs refer to the posted number.`
        : 'Restore its number in QuickBooks (open it > Edit > Invoice no. > Save), or enter the new number in {psa}. Clients and payments refer to the {psa} number.',
    repairs: ({ what = 'Invoice', number }) => [
      openIn('accounting', isPurchase(what) ? `${what.toLowerCase()} ${number}` : `invoice ${number}`),
    ],
  }),
  OPEN_AGAIN: person<{
    readonly psa: string;
    readonly menus: PsaMenus;
    readonly number: string;
    readonly open: string;
    readonly paidOn: CalendarDate;
  }>({
    message: ({ psa, number, open, paidOn }) =>
      `Invoice ${number} is open again in QuickBooks (${open}), and ${psa} shows it as paid on ${dayText(paidOn)}.`,
    remedy: ({ menus }) =>
      `If the payment bounced or was charged back, empty Paid Date in {psa}: ${menus.invoice}. If the payment still exists in QuickBooks, apply it again: Sales > Customers > the customer > the payment, check the invoice, Save. If it was deleted by mistake, enter it again with the same date and reference: + New > Receive payment. Do not record a payment that you did not receive.`,
    repairs: ({ number }) => [openIn('psa', `invoice ${number}`), openIn('accounting', `invoice ${number}`)],
  }),
  ENTERED_AGAIN: person<{
    readonly psaId: number;
    readonly what: string;
    readonly number: string;
    readonly datedOn: CalendarDate;
    readonly amount: string;
    readonly party: string;
  }>({
    message: ({ psaId, what, number, datedOn, amount, party }) =>
      `The document of invoice ${psaId} was deleted or voided in QuickBooks, and ${what.toLowerCase()} ${number} of ${party} (${amount}, ${dayText(datedOn)}) was entered by hand. Nothing was posted.`,
    remedy:
      'If it is the same sale, link it under Month-end close (the month > Exceptions > Link to this document). If it is another sale, sync the invoice again; it is then posted as well.',
    screen: screens.monthEnd,
    repairs: ({ what, number }) => [postAgain, openIn('accounting', `${what.toLowerCase()} ${number}`)],
  }),
  NOTHING_TO_LINK: person<{ readonly psa: string; readonly psaId: number }>({
    message: ({ psaId }) =>
      `QuickBooks has no unlinked document of the customer and amount of invoice ${psaId}. Nothing was changed.`,
    remedy: 'Refresh the month under Month-end close, and check the invoice in QuickBooks.',
  }),
  PAYMENT_GONE: person<{
    readonly psa: string;
    readonly menus: PsaMenus;
    readonly number: string;
    readonly open: string;
    readonly paidOn: CalendarDate;
  }>({
    message: ({ psa, number, open, paidOn }) =>
      `The payment that was created for invoice ${number} was deleted or voided in QuickBooks, so ${open} is open again. ${psa} shows it as paid on ${dayText(paidOn)}.`,
    remedy: ({ menus }) =>
      `If the payment bounced, empty Paid Date in {psa}: ${menus.invoice}. If it was deleted by mistake, create it again from here.`,
    repairs: ({ number }) => [createPayment, openIn('psa', `invoice ${number}`)],
  }),
  PAYMENT_MOVED: person<{
    readonly psa: string;
    readonly number: string;
    readonly open: string;
    /** Reference of the payment, e.g. `PSA-1042`. */
    readonly payment: string;
    readonly amount: string;
    /** Whether the payment pays nothing, another document, one beside it, or less than before. */
    readonly is: keyof typeof paymentIs;
  }>({
    message: ({ number, open, payment, amount, is }) =>
      `Invoice ${number} is open again in QuickBooks (${open}): ${paymentIs[is](payment, amount)}.`,
    remedy: ({ number, payment, is }) =>
      is === 'lower'
        ? `If you received the money, restore the amount of payment ${payment} in QuickBooks: Sales > Customers > the customer > the payment. If you received less, correct Paid Date in {psa}. Do not enter another payment: the money would count twice.`
        : `Apply payment ${payment} again in QuickBooks: Sales > Customers > the customer > the payment, check invoice ${number}, Save. If you did not receive the money, delete the payment and empty Paid Date in {psa}. Do not enter the payment again: the money would count twice.`,
    repairs: ({ number, payment }) => [openIn('accounting', `payment ${payment}`), openIn('psa', `invoice ${number}`)],
  }),
  OPEN_MONEY: person<{
    readonly psa: string;
    readonly number: string;
    readonly open: string;
    readonly paidOn: CalendarDate;
    readonly party: string;
    /** Each with its amount, e.g. `payment 4711 of Mar 4, 2025 (940.40)`. */
    readonly money: readonly string[];
    /** Whether some of it can be applied from here. */
    readonly canApply: boolean;
  }>({
    message: ({ psa, number, open, paidOn, party, money }) =>
      `${psa} shows invoice ${number} as paid on ${dayText(paidOn)}, and ${open} is open in QuickBooks. QuickBooks has money of ${party} that is not applied to any invoice: ${listOf(money)}. Nothing was posted.`,
    remedy: ({ canApply }) =>
      canApply
        ? 'Decide under Needs attention. If that money paid this invoice, apply it; only an uncovered rest gets a new payment. If it is for something else, create a new payment.'
        : 'If that money paid this invoice, apply it in QuickBooks: Sales > Invoices > the invoice > Receive payment, check the invoice and the money > Save. It cannot be applied from here. If it is for something else, create a new payment under Needs attention.',
    repairs: ({ number, canApply }) => [
      ...(canApply ? [applyMoney] : []),
      createPayment,
      openIn('accounting', `invoice ${number}`),
    ],
  }),
  PAID_DATE_UNCONFIRMED: person<{
    readonly psa: string;
    readonly menus: PsaMenus;
    readonly number: string;
    readonly open: string;
    readonly paidOn: CalendarDate;
  }>({
    message: ({ psa, number, open, paidOn }) =>
      `${psa} shows invoice ${number} as paid on ${dayText(paidOn)}, but ${open} is open in QuickBooks. Records of that time were lost in a restore, so the date may belong to a payment that bounced.`,
    remedy: ({ menus }) =>
      `Check whether you received the money. If so, sync this payment by hand to record it in QuickBooks. If not, empty Paid Date in {psa}: ${menus.invoice}.`,
    repairs: ({ number }) => [openIn('psa', `invoice ${number}`), openIn('accounting', `invoice ${number}`)],
  }),
  PAID_DATE_CLEARED: person<{ readonly psa: string; readonly number: string }>({
    message: ({ psa, number }) =>
      `${psa} no longer shows invoice ${number} as paid; its payment remains in QuickBooks.`,
    remedy:
      'If you received the money, set the paid date in {psa} again. If not, delete the payment in QuickBooks: Sales > Customers > the customer > the payment > More > Delete. If it is in a bank deposit, remove it from the deposit first. If that deposit is reconciled, delete nothing and ask your accountant.',
    repairs: ({ number }) => [openIn('psa', `invoice ${number}`), openIn('accounting', `payment PSA-${number}`)],
  }),
  COMPANY_CHANGED: person<{
    readonly before: string;
    readonly after: string;
    readonly service: 'psa' | 'accounting';
    /** QuickBooks may have the document. */
    readonly isSent: boolean;
  }>({
    message: ({ before, after, service, isSent }) =>
      service === 'psa'
        ? `The document of “${before}” was unfinished when “${after}” was connected${isSent ? '; it may already be in QuickBooks' : ''}.`
        : `The document was unfinished in “${before}” when “${after}” was connected${isSent ? `; it may already be in “${before}”` : ''}.`,
    remedy:
      'Look for the document in the company that was connected before. To post it to the new company, clear its sync status.',
    repairs: () => [clearStatus],
  }),
  PAYMENT_LEAVES_OPEN: warning<{
    readonly psa: string;
    readonly number: string;
    readonly paid: string;
    readonly total: string;
    readonly left: string;
  }>({
    message: ({ psa, number, paid, total, left }) =>
      `Invoice ${number} is ${total} in QuickBooks, and ${psa} shows ${paid} as paid: ${left} stays open.`,
    remedy:
      'Correct the tax or the amount of the invoice in QuickBooks, or write off the rest there with a credit memo. Do not record the rest as paid: you did not receive it.',
    repairs: ({ number }) => [openIn('accounting', `invoice ${number}`)],
  }),
  MAIL_NOT_SENT: warning<{ readonly number: string; readonly address: string; readonly why: string }>({
    message: ({ number, address, why }) => `Invoice ${number} was not emailed to ${address}: ${why}`,
    remedy:
      'The invoice is in QuickBooks. Send it from there: Sales > Invoices > the invoice > Send. Do not sync it again: that would create a second invoice.',
    repairs: ({ number }) => [openIn('accounting', `invoice ${number}`)],
  }),
  DELETED_IN_PSA: person<{ readonly psa: string; readonly name: string; readonly number: string }>({
    message: ({ psa, name, number }) =>
      `${name} was deleted in ${psa} while it was sent. It is in QuickBooks as ${number}.`,
    remedy: 'If the customer or vendor owes nothing for it, void or delete it in QuickBooks.',
    repairs: ({ name, number }) => [openIn('accounting', `${name} (${number})`)],
  }),
  DELETED_IN_BOOKS: warning<{ readonly what: string; readonly number: string }>({
    message: ({ what, number }) => `${what} ${number} was deleted in QuickBooks.`,
  }),
} as const;
