import { clearStatus, openIn, person, postAgain, updateBooks, warning } from './entry.ts';

/** What comes apart after a document was posted: changes, voids and payments on one side. */

export const laterProblems = {
  VOID_HAS_PAYMENTS: person<{
    /** `Invoice`, unless it is something else. */
    readonly what?: string;
    readonly number: string;
    readonly amount: string;
  }>({
    message: ({ what = 'Invoice', number, amount }) => `${what} ${number} has ${amount} applied.`,
    remedy: 'Unapply it in QuickBooks, then sync the void again.',
    repairs: ({ what = 'Invoice', number }) => [openIn('accounting', `${what.toLowerCase()} ${number}`)],
  }),
  LINK_DIFFERS: person<{
    readonly psa: string;
    /** The document of the books. */
    readonly number: string;
    /** Both sides of each, e.g. `1,228.00, Autotask has 2,228.00`. */
    readonly differences: string;
  }>({
    message: ({ number, differences }) =>
      `QuickBooks has ${number} for it, which is another document or was changed since: ${differences}.`,
    remedy:
      'Compare both. If it is another document, sync it again as a new one; if it is the same, correct the wrong side.',
    repairs: ({ number }) => [postAgain, openIn('accounting', `invoice ${number}`)],
  }),
  MISSING_IN_BOOKS: person<{ readonly psa: string; readonly number: string }>({
    message: ({ number }) => `Invoice ${number} is not in QuickBooks any more.`,
    remedy: 'Void it in {psa}, or clear its sync status and sync it again.',
    repairs: ({ number }) => [postAgain, openIn('psa', `invoice ${number}`)],
  }),
  VOIDED_IN_BOOKS: person<{ readonly psa: string; readonly number: string }>({
    message: ({ psa, number }) => `Invoice ${number} was voided in QuickBooks but not in ${psa}.`,
    remedy: 'Void it in {psa} as well, or enter it again in QuickBooks.',
    repairs: ({ number }) => [postAgain, openIn('psa', `invoice ${number}`)],
  }),
  CHANGED_SINCE: person<{
    readonly psa: string;
    /** Which side has changed, e.g. `QuickBooks`. */
    readonly at: string;
    readonly number: string;
    readonly before: string;
    readonly now: string;
  }>({
    message: ({ at, number, before, now }) =>
      `Invoice ${number} was synced with ${before}, and comes to ${now} in ${at} since.`,
    remedy: 'Compare both and correct the wrong one; nothing is changed by itself.',
    repairs: ({ psa, at, number }) =>
      at === psa
        ? [updateBooks, openIn('accounting', `invoice ${number}`)]
        : [openIn('accounting', `invoice ${number}`)],
  }),
  RENUMBERED_IN_BOOKS: person<{ readonly psa: string; readonly number: string; readonly now: string }>({
    message: ({ number, now }) => `Invoice ${number} has the number ${now} in QuickBooks since.`,
    remedy: 'Give it its former number in QuickBooks, or enter the new one in {psa}.',
    repairs: ({ number }) => [openIn('accounting', `invoice ${number}`)],
  }),
  OPEN_AGAIN: person<{ readonly psa: string; readonly number: string; readonly open: string; readonly paidOn: string }>(
    {
      message: ({ psa, number, open, paidOn }) =>
        `Invoice ${number} has ${open} open again in QuickBooks, and ${psa} shows it as paid on ${paidOn}.`,
      remedy: 'Record the payment in QuickBooks, or clear the paid date in {psa}.',
      repairs: ({ number }) => [openIn('psa', `invoice ${number}`), openIn('accounting', `invoice ${number}`)],
    },
  ),
  PAID_DATE_CLEARED: person<{ readonly psa: string; readonly number: string }>({
    message: ({ psa, number }) =>
      `${psa} does not show invoice ${number} as paid any more; its payment stays in QuickBooks.`,
    remedy: 'Delete the payment in QuickBooks, or set the paid date in {psa} again.',
    repairs: ({ number }) => [openIn('psa', `invoice ${number}`), openIn('accounting', `payment PSA-${number}`)],
  }),
  COMPANY_CHANGED: person<{
    readonly before: string;
    readonly after: string;
    readonly service: 'psa' | 'accounting';
    /** It may have reached the books. */
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
  DELETED_IN_BOOKS: warning<{ readonly what: string; readonly number: string }>({
    message: ({ what, number }) => `${what} ${number} was deleted in QuickBooks.`,
  }),
} as const;
