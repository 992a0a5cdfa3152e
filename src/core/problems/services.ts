import { held, openIn, person, reconnect, refreshLists, screens, stopsRun, syncAgain, transient } from './entry.ts';

interface Detail {
  readonly detail: string;
}

/** Problems with the services' answers, or with none. */

export const serviceProblems = {
  DEFECT: person<{ /** Reference in the server log. */ readonly reference: string }>({
    message: ({ reference }) => `Tallybridge failed on this document (reference ${reference}).`,
    remedy: 'Nothing was sent. Send the reference to support, or sync the document by hand to retry.',
    repairs: () => [syncAgain],
  }),
  QBO_VALIDATION: person<Detail>({
    message: ({ detail }) => `QuickBooks rejected the document: ${detail}`,
    remedy: 'Correct what QuickBooks names, then sync again.',
    repairs: () => [syncAgain],
  }),
  QBO_REFERENCE: person<Detail>({
    message: ({ detail }) => `A record used by this document no longer exists in QuickBooks: ${detail}`,
    remedy:
      'Nothing was posted. The record was deleted, merged or made inactive. Make it active in QuickBooks (gear above its list > Include inactive > Make active), or refresh the lists here and map another record. Then sync again. Do not enter the document in QuickBooks by hand.',
    screen: screens.items,
    repairs: () => [refreshLists, syncAgain],
  }),
  QBO_UNREADABLE: held<Detail>({
    message: ({ detail }) => detail,
    remedy:
      'Documents that may be this record wait, so that none is posted twice. The next sync after the fix posts them.',
    repairs: () => [openIn('accounting', 'the record')],
  }),
  QBO_SUBSCRIPTION: stopsRun({
    message: () => 'The QuickBooks subscription is not active.',
    remedy: 'Renew the subscription in QuickBooks.',
    screen: screens.connections,
    repairs: () => [openIn('accounting', 'the subscription')],
  }),
  QBO_PERMISSION: stopsRun({
    message: () => 'The connected QuickBooks user lacks a permission.',
    remedy:
      'Make the user who connected QuickBooks a company administrator (Settings (gear) > Manage users), or reconnect as an administrator under Connections.',
    screen: screens.connections,
    repairs: () => [reconnect('accounting')],
  }),
  QBO_PLAN: stopsRun<Detail>({
    message: ({ detail }) => `QuickBooks does not offer this to your company: ${detail}`,
    remedy:
      'Check your plan in QuickBooks: Settings (gear) > Subscriptions and billing. If the plan includes the feature, make the user who connected QuickBooks a company administrator. Then sync again.',
    screen: screens.connections,
    repairs: () => [openIn('accounting', 'the subscription'), syncAgain],
  }),
  QBO_COMPANY_DELETED: stopsRun({
    message: () => 'The connected QuickBooks company was deleted.',
    remedy: 'Open the company in QuickBooks. If it no longer exists, connect another company under Connections.',
    screen: screens.connections,
    repairs: () => [openIn('accounting', 'the company'), reconnect('accounting')],
  }),
  QBO_COMPANY_UNAVAILABLE: stopsRun({
    message: () => 'QuickBooks made this company unavailable for now.',
    remedy: 'Nothing was posted. Syncs resume automatically when QuickBooks makes the company available again.',
    screen: screens.connections,
  }),
  QBO_STALE: transient({
    message: () => 'The record changed in QuickBooks during the sync.',
  }),
  QBO_THROTTLED: transient({
    message: () => 'QuickBooks is busy.',
  }),
  QBO_READS_BLOCKED: held<{ readonly detail: string }>({
    message: ({ detail }) => `This needs a read from QuickBooks. ${detail}`,
    remedy: 'No action needed: the sync continues when QuickBooks can be read again.',
  }),
  QBO_UNAVAILABLE: transient<Detail>({
    message: ({ detail }) => detail,
  }),
  QBO_READ_REFUSED: stopsRun<Detail>({
    message: ({ detail }) => detail,
    remedy:
      'The next sync tries again. If QuickBooks refuses again, check its users and plan (Settings (gear) > Manage users), then send this message to support.',
    screen: screens.connections,
    repairs: () => [syncAgain],
  }),
  PSA_UNAVAILABLE: transient<Detail>({
    message: ({ detail }) => detail,
  }),
  PSA_READ_REFUSED: stopsRun<Detail & { readonly psa: string }>({
    message: ({ detail }) => detail,
    remedy:
      'Give the API user a security level in {psa} that can read these records, then sync again. If {psa} refuses again, send this message to support.',
    screen: screens.connections,
    repairs: () => [openIn('psa', 'the API user'), syncAgain],
  }),
  PSA_LIMIT: transient<{ readonly psa: string }>({
    message: ({ psa }) => `${psa}’s hourly API limit is used up.`,
  }),
  PSA_DOCUMENT_MISSING: person<{ readonly psa: string; /** E.g. `invoice 999`. */ readonly what: string }>({
    message: ({ psa, what }) => `${psa} has no ${what}, or the API user cannot read it.`,
    remedy: 'Check the id in {psa} and the permissions of the API user.',
    repairs: ({ what }) => [openIn('psa', what)],
  }),
  PSA_COSTS_HIDDEN: stopsRun<{ readonly psa: string }>({
    message: ({ psa }) => `The ${psa} API user cannot read costs.`,
    remedy: 'Give the API user a security level in {psa} that can read costs, then sync again.',
    screen: screens.connections,
    repairs: () => [openIn('psa', 'the API user'), syncAgain],
  }),
  PSA_VALIDATION: person<Detail & { readonly psa: string }>({
    message: ({ psa, detail }) => `${psa} rejected the change: ${detail}`,
    remedy: 'Correct what {psa} names, then sync again.',
    repairs: () => [syncAgain],
  }),
  PSA_NOT_STORED: stopsRun<Detail & { readonly psa: string }>({
    message: ({ detail }) => detail,
    remedy:
      'Check in {psa} that the API user can edit this field and that no workflow rule changes it. Then sync again; nothing is posted twice.',
    screen: screens.connections,
    repairs: () => [openIn('psa', 'the API user'), syncAgain],
  }),
  QBO_AUTH: stopsRun({
    message: () => 'QuickBooks needs to be reconnected.',
    remedy: 'Reconnect QuickBooks under Connections.',
    screen: screens.connections,
    repairs: () => [reconnect('accounting')],
  }),
  PSA_AUTH: stopsRun<{ readonly psa: string }>({
    message: ({ psa }) => `${psa} needs to be reconnected.`,
    remedy:
      'Reconnect {psa} under Connections. If the login is rejected again, ask the operator to check the tracking identifier.',
    screen: screens.connections,
    repairs: () => [reconnect('psa')],
  }),
} as const;
