import { openIn, person, reconnect, refreshLists, screens, stopsRun, syncAgain, transient } from './entry.ts';

interface Detail {
  readonly detail: string;
}

/** Problems with the services' answers, or with none. */

export const serviceProblems = {
  DEFECT: person<{ /** Stands in the log of the server. */ readonly reference: string }>({
    message: ({ reference }) => `Tallybridge made a mistake with this document (reference ${reference}).`,
    remedy:
      'Nothing was sent. Tell support, who find it in the log of the server by this reference; sync it by hand to try again.',
    repairs: () => [syncAgain],
  }),
  QBO_VALIDATION: person<Detail>({
    message: ({ detail }) => `QuickBooks refused the document: ${detail}`,
    remedy: 'Correct what QuickBooks names, then sync again.',
    repairs: () => [syncAgain],
  }),
  QBO_REFERENCE: person<Detail>({
    message: ({ detail }) => `A record used by this document no longer exists in QuickBooks: ${detail}`,
    remedy:
      'It was deleted, merged or made inactive in QuickBooks. Make it active there (gear above its list > Include inactive > Make active), or refresh the lists here and map another record; then sync again. Nothing was posted: do not type the document into QuickBooks by hand.',
    screen: screens.items,
    repairs: () => [refreshLists, syncAgain],
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
      'Make the user who connected QuickBooks a company administrator (Settings (gear) > Manage users), or connect again as one under Connections.',
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
    message: () => 'The record was changed in QuickBooks meanwhile.',
  }),
  QBO_THROTTLED: transient({
    message: () => 'QuickBooks is busy.',
  }),
  QBO_READS_BLOCKED: transient({
    message: () => "Intuit's monthly limit of reads from QuickBooks is used up. Posting continues.",
  }),
  QBO_UNAVAILABLE: transient({
    message: () => 'QuickBooks did not answer.',
  }),
  PSA_UNAVAILABLE: transient<{ readonly psa: string }>({
    message: ({ psa }) => `${psa} did not answer.`,
  }),
  PSA_LIMIT: transient<{ readonly psa: string }>({
    message: ({ psa }) => `${psa}'s hourly API limit is used up.`,
  }),
  PSA_DOCUMENT_MISSING: person<{ readonly psa: string; /** E.g. `invoice 999`. */ readonly what: string }>({
    message: ({ psa, what }) => `${psa} has no ${what} that this connection may read.`,
    remedy: 'Check the id in {psa}, and that the API user may read it.',
    repairs: ({ what }) => [openIn('psa', what)],
  }),
  PSA_COSTS_HIDDEN: stopsRun<{ readonly psa: string }>({
    message: ({ psa }) => `The ${psa} API user may not see what things cost.`,
    remedy: 'Give the API user a security level in {psa} that may read costs, then sync again.',
    screen: screens.connections,
    repairs: () => [openIn('psa', 'the API user'), syncAgain],
  }),
  PSA_VALIDATION: person<Detail & { readonly psa: string }>({
    message: ({ psa, detail }) => `${psa} refused the change: ${detail}`,
    remedy: 'Correct what {psa} names, then sync again.',
    repairs: () => [syncAgain],
  }),
  PSA_NOT_STORED: stopsRun<Detail & { readonly psa: string }>({
    message: ({ detail }) => detail,
    remedy:
      'Check in {psa} that the API user may edit this field and that no workflow rule changes it, then sync again. Nothing is posted twice.',
    screen: screens.connections,
    repairs: () => [openIn('psa', 'the API user'), syncAgain],
  }),
  QBO_AUTH: stopsRun({
    message: () => 'QuickBooks needs to be reconnected.',
    remedy: 'Connect QuickBooks again under Connections.',
    screen: screens.connections,
    repairs: () => [reconnect('accounting')],
  }),
  PSA_AUTH: stopsRun<{ readonly psa: string }>({
    message: ({ psa }) => `${psa} needs to be reconnected.`,
    remedy:
      'Connect {psa} again under Connections. If the login is rejected again, ask the operator to check the tracking identifier.',
    screen: screens.connections,
    repairs: () => [reconnect('psa')],
  }),
} as const;
