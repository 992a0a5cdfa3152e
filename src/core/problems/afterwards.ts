import { clearStatus, openIn, person, postAgain, screens, setting, updateBooks, warning } from './entry.ts';
import { dayText, type CalendarDate } from '../values/dates.ts';

/** Why a document of the books is not brought to what the PSA says. */
const whyNotUpdated = {
  gone: 'it does not stand there any more',
  changed: 'somebody changed it meanwhile',
  paid: 'money or a receipt was applied to it',
  closed: 'the books are closed for its date',
  form: 'it would become another kind of document, or several',
} as const;
export type WhyNotUpdated = keyof typeof whyNotUpdated;

/** Why what an invoice comes to more or less is not billed. */
const whyNotBilled = {
  gone: 'its document does not stand in QuickBooks any more',
  voided: 'it is voided',
  customer: 'its document stands for another customer',
  currency: 'its document is in another currency',
  lines: 'its document has lines without an item',
  tax: 'nothing but its sales tax differs',
  form: 'it makes no invoice and no credit memo',
} as const;
export type WhyNotBilled = keyof typeof whyNotBilled;

/** What became of a payment that no longer pays its invoice. */
const paymentIs = {
  unapplied: (payment: string, amount: string) => `${amount} of payment ${payment} is applied to no invoice`,
  elsewhere: (payment: string, amount: string) => `payment ${payment} over ${amount} is applied to another document`,
  lower: (payment: string, amount: string) => `payment ${payment} was lowered to ${amount}`,
} as const;

/** What to do about a document that bills a difference, before its invoice can be changed. */
const differenceRemedies = {
  bill: 'Bill the difference on Close (the month > Differences > Bill the difference): only what is not billed yet is added. Nothing was changed.',
  remove:
    'Void or delete that document in QuickBooks first (Sales > Invoices or All sales > the document > More > Void), so that nothing of it is left or there twice; then try again.',
  keep: 'Money is applied to that document: do not void or delete it. If the sale is right, keep the documents as they are. If it was canceled, take the payment off in QuickBooks first (the document > the link under the total > the payment > uncheck the document > Save), or issue a credit memo.',
} as const;
type DifferenceRemedy = keyof typeof differenceRemedies;

/** Data for the problems of a document that stands in the books. */
interface SalesFacts {
  readonly psa: string;
  /** `Invoice`, unless it is something else. */
  readonly what?: string;
  readonly number: string;
}

/** Problems that come up after a document was posted: changes, voids and payments on one side. */
export const laterProblems = {
  VOID_HAS_PAYMENTS: person<{
    /** `Invoice`, unless it is something else. */
    readonly what?: string;
    readonly number: string;
    readonly amount: string;
  }>({
    message: ({ what = 'Invoice', number, amount }) => `${what} ${number} has ${amount} applied.`,
    remedy:
      'Open it in QuickBooks, take the payment or credit off it (the link under the total > the payment > uncheck the invoice > Save), and leave the rest to us: the void is tried again by itself. If the money belongs to the sale, keep both and issue a credit memo instead.',
    repairs: ({ what = 'Invoice', number }) => [openIn('accounting', `${what.toLowerCase()} ${number}`)],
  }),
  VOID_OF_AN_EARLIER_MONTH: person<{
    readonly psa: string;
    readonly what: string;
    readonly number: string;
    readonly datedOn: CalendarDate;
    readonly amount: string;
  }>({
    message: ({ psa, what, number, datedOn, amount }) =>
      `${what} ${number} over ${amount} was voided in ${psa}, and is dated ${dayText(datedOn)}: voiding it would change a month that may have been reported. Nothing was changed.`,
    remedy:
      'Choose in Settings, Voided invoices, what becomes of voids of an earlier month: a credit memo dated today keeps that month as it was reported; voiding changes it. It is done by itself after that. Do not do both. To decide on this one alone, do it in QuickBooks: Sales > Invoices > the invoice > More > Void.',
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
      `Credit memo ${number}${party === null ? '' : ` of ${party}`}${amount === null ? '' : ` over ${amount}`}${on === null ? '' : `, dated ${dayText(on)},`} was voided in ${psa}. QuickBooks lets no other program void a credit memo, so that it stands there as it was.`,
    remedy:
      'Void it in QuickBooks (Sales > All sales > the credit memo > More > Void), and leave the rest to us: it is noticed by itself. If it was applied to an invoice meanwhile, take it off that invoice first. Do not enter an invoice against it: the customer would be asked for that amount.',
    repairs: ({ number }) => [openIn('accounting', `credit memo ${number}`)],
  }),
  CREDIT_TO_APPLY: warning<{ readonly number: string; readonly amount: string }>({
    message: ({ number, amount }) =>
      `The credit memo of ${amount} stands beside invoice ${number}, and both are open until it is applied.`,
    remedy:
      'Apply it in QuickBooks unless QuickBooks does so by itself: Sales > Invoices > the invoice > Receive payment, tick the invoice and the credit > Save. Do not void the invoice as well: its amount would be taken off twice.',
    repairs: ({ number }) => [openIn('accounting', `invoice ${number}`)],
  }),
  LINK_DIFFERS: person<{
    readonly psa: string;
    /** The document of the books, e.g. `invoice` or `bill`; absent: an invoice. */
    readonly what?: string;
    readonly number: string;
    /** Both sides of each, e.g. `1,228.00, Autotask has 2,228.00`. */
    readonly differences: string;
  }>({
    message: ({ number, differences }) =>
      `QuickBooks has ${number} for it, which is another document or was changed since: ${differences}.`,
    remedy:
      'Compare both. If it is another document, sync it again as a new one; if it is the same, correct the wrong side.',
    repairs: ({ what = 'invoice', number }) => [postAgain, openIn('accounting', `${what} ${number}`)],
  }),
  MISSING_IN_BOOKS: person<SalesFacts>({
    message: ({ what = 'Invoice', number }) => `${what} ${number} is not in QuickBooks any more.`,
    remedy:
      'Who did it, and when, stands in QuickBooks under Settings (gear) > Audit log. If the sale did not happen, void it in {psa} (organization > Invoices > Void). If it was deleted by mistake, post it again from here: it gets a new number. Do not type it into QuickBooks by hand: a copy is not linked, and no payment comes back.',
    repairs: ({ number }) => [postAgain, openIn('psa', `invoice ${number}`)],
  }),
  VOIDED_IN_BOOKS: person<SalesFacts & { /** When it was changed there last. */ readonly on: CalendarDate }>({
    message: ({ what = 'Invoice', psa, number, on }) =>
      `${what} ${number} was voided in QuickBooks but not in ${psa}; it was changed there last on ${dayText(on)}.`,
    remedy:
      'Who did it, and when, stands in QuickBooks under Settings (gear) > Audit log. If the void was right, void it in {psa} as well (organization > Invoices > Void). If it was a mistake, post it again from here: it gets a new number. Do not type it into QuickBooks by hand: a copy is not linked, and no payment comes back.',
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
      `${what} ${number} was synced with ${before}, and comes to ${now} in ${at} since.`,
    remedy:
      'Compare both. Bring QuickBooks to the new total while the invoice is unpaid and its period is open, or bill the difference by an invoice or a credit memo of its own. Nothing is changed by itself.',
    repairs: ({ psa, at, number }) =>
      at === psa
        ? [updateBooks, openIn('accounting', `invoice ${number}`)]
        : [openIn('accounting', `invoice ${number}`)],
  }),
  EDITED_IN_BOOKS: person<SalesFacts & { /** E.g. `customer Acme Dental → Birch Legal`. */ readonly changes: string }>({
    message: ({ what = 'Invoice', number, changes }) =>
      `${what} ${number} was changed in QuickBooks since it was synced: ${changes}.`,
    remedy:
      'Compare both. If the change is a mistake, change it back in QuickBooks (Sales > Invoices > the invoice > Edit). If it is right, make it in {psa} as well, or accept it on Close with a reason. Who changed it is in QuickBooks under Settings (gear) > Audit log.',
    repairs: ({ number }) => [openIn('accounting', `invoice ${number}`), openIn('psa', `invoice ${number}`)],
  }),
  CANNOT_UPDATE: person<{ readonly name: string; readonly psa: string; readonly because: WhyNotUpdated }>({
    message: ({ name, because }) => `${name} was not updated in QuickBooks: ${whyNotUpdated[because]}.`,
    remedy:
      'Look at it once more on Close: refresh the month, then update it, bill the difference, or accept it with a reason. Nothing was changed.',
  }),
  CANNOT_BILL_DIFFERENCE: person<{ readonly name: string; readonly psa: string; readonly because: WhyNotBilled }>({
    message: ({ name, because }) => `The difference of ${name.toLowerCase()} was not billed: ${whyNotBilled[because]}.`,
    remedy:
      'Compare both sides. Enter the invoice or the credit memo in QuickBooks by hand (+ New > Invoice or Credit memo), or correct the wrong side, and accept the difference on Close with a reason. Nothing was posted.',
  }),
  DIFFERENCE_STANDS: person<{
    readonly name: string;
    readonly psa: string;
    readonly number: string;
    readonly amount: string;
    readonly advice: DifferenceRemedy;
  }>({
    message: ({ name, number, amount }) =>
      `${name} is also billed by ${number} over ${amount}, for what changed after it was posted.`,
    remedy: ({ advice }) => differenceRemedies[advice],
    repairs: ({ number }) => [openIn('accounting', `document ${number}`)],
  }),
  DIFFERENCE_OPEN: person<{
    readonly psa: string;
    readonly number: string;
    readonly open: string;
    readonly paidOn: CalendarDate;
  }>({
    message: ({ psa, number, open, paidOn }) =>
      `${psa} shows invoice ${number} as paid on ${dayText(paidOn)}. A difference was billed since, and ${open} of it is open in QuickBooks.`,
    remedy:
      'If the customer paid the difference, sync this payment by hand, and it is recorded in QuickBooks. If not, empty Paid Date in {psa} (organization > Invoices > the invoice) until the difference is paid.',
    repairs: ({ number }) => [openIn('psa', `invoice ${number}`), openIn('accounting', `invoice ${number}`)],
  }),
  RENUMBERED_IN_BOOKS: person<SalesFacts & { readonly now: string }>({
    message: ({ what = 'Invoice', number, now }) => `${what} ${number} has the number ${now} in QuickBooks since.`,
    remedy:
      'Give it its former number in QuickBooks (open it > Edit > Invoice no. > Save), or enter the new one in {psa}. Clients and payments know it by the number in {psa}.',
    repairs: ({ number }) => [openIn('accounting', `invoice ${number}`)],
  }),
  OPEN_AGAIN: person<{
    readonly psa: string;
    readonly number: string;
    readonly open: string;
    readonly paidOn: CalendarDate;
  }>({
    message: ({ psa, number, open, paidOn }) =>
      `Invoice ${number} has ${open} open again in QuickBooks, and ${psa} shows it as paid on ${dayText(paidOn)}.`,
    remedy:
      'If the payment bounced or was charged back, empty Paid Date in {psa} (organization > Invoices > the invoice). If the payment is still in QuickBooks, apply it to the invoice again: Sales > Customers > the customer > the payment, check the invoice, Save. Only if it was deleted by mistake, enter it again (+ New > Receive payment, same date and reference). Do not record a payment for money that did not come in.',
    repairs: ({ number }) => [openIn('psa', `invoice ${number}`), openIn('accounting', `invoice ${number}`)],
  }),
  PAYMENT_MOVED: person<{
    readonly psa: string;
    readonly number: string;
    readonly open: string;
    /** Reference of the payment, e.g. `PSA-1042`. */
    readonly payment: string;
    readonly amount: string;
    /** Whether the payment pays nothing, another document, or less than before. */
    readonly is: keyof typeof paymentIs;
  }>({
    message: ({ number, open, payment, amount, is }) =>
      `Invoice ${number} has ${open} open again in QuickBooks: ${paymentIs[is](payment, amount)}.`,
    remedy: ({ number, payment, is }) =>
      is === 'lower'
        ? `If the money came in, set the amount of payment ${payment} back in QuickBooks: Sales > Customers > the customer > the payment. Do not enter another payment: the money would count twice. If less came in, correct Paid Date in {psa}.`
        : `Apply payment ${payment} to the invoice again: in QuickBooks open Sales > Customers > the customer > the payment, check invoice ${number}, and save. Do not enter the payment again: the money would count twice. If the money did not come in, delete the payment and empty Paid Date in {psa}.`,
    repairs: ({ number, payment }) => [openIn('accounting', `payment ${payment}`), openIn('psa', `invoice ${number}`)],
  }),
  PAID_DATE_UNCONFIRMED: person<{
    readonly psa: string;
    readonly number: string;
    readonly open: string;
    readonly paidOn: CalendarDate;
  }>({
    message: ({ psa, number, open, paidOn }) =>
      `${psa} shows invoice ${number} as paid on ${dayText(paidOn)}, a date that our records do not know since they have a gap, and ${open} is open in QuickBooks: the date may be our own, of a payment that has bounced since.`,
    remedy:
      'Look whether the money came in. If it did, sync this payment by hand, and it is recorded in QuickBooks. If it did not, empty Paid Date in {psa} (organization > Invoices > the invoice).',
    repairs: ({ number }) => [openIn('psa', `invoice ${number}`), openIn('accounting', `invoice ${number}`)],
  }),
  PAID_DATE_CLEARED: person<{ readonly psa: string; readonly number: string }>({
    message: ({ psa, number }) =>
      `${psa} does not show invoice ${number} as paid any more; its payment stays in QuickBooks.`,
    remedy:
      'If the money came in, set the paid date in {psa} again. If it did not, delete the payment in QuickBooks (Sales > Customers > the customer > the payment > More > Delete). If it is in a bank deposit already, take it out of the deposit first; if that deposit is reconciled, ask your accountant and delete nothing.',
    repairs: ({ number }) => [openIn('psa', `invoice ${number}`), openIn('accounting', `payment PSA-${number}`)],
  }),
  COMPANY_CHANGED: person<{
    readonly before: string;
    readonly after: string;
    readonly service: 'psa' | 'accounting';
    /** The document may have reached the books. */
    readonly isSent: boolean;
  }>({
    message: ({ before, after, service, isSent }) =>
      service === 'psa'
        ? `The document of “${before}” was not finished when “${after}” was connected${isSent ? '; it may be in the books' : ''}.`
        : `The document was not finished in “${before}” when “${after}” was connected${isSent ? '; it may be in the books of the former' : ''}.`,
    remedy:
      'Look for the document in the company that was connected before; clear its sync status to post it to the new one.',
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
      `Invoice ${number} comes to ${total} in QuickBooks, and ${psa} says that ${paid} was paid: ${left} stays open.`,
    remedy:
      'Correct the tax or the amount of the invoice in QuickBooks, or write the rest off there with a credit memo. Do not record it as paid: that money did not come in.',
    repairs: ({ number }) => [openIn('accounting', `invoice ${number}`)],
  }),
  MAIL_NOT_SENT: warning<{ readonly number: string; readonly address: string; readonly why: string }>({
    message: ({ number, address, why }) => `Invoice ${number} was not mailed to ${address}: ${why}`,
    remedy:
      'The invoice stands in QuickBooks. Send it from there: Sales > Invoices > the invoice > Send. Do not sync it again: that would make a second one.',
    repairs: ({ number }) => [openIn('accounting', `invoice ${number}`)],
  }),
  DELETED_IN_BOOKS: warning<{ readonly what: string; readonly number: string }>({
    message: ({ what, number }) => `${what} ${number} was deleted in QuickBooks.`,
  }),
} as const;
