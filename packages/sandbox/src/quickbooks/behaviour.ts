import { chatAnswers } from '../chat/receiver.ts';
import { eventAnswers } from '../events/receiver.ts';
import { createBehaviour, type Behaviour } from '../kit/behaviour.ts';

/**
 * Switches for uncertain behavior of the real service (quickbooks reference section 10 and the open questions of the
 * reliability reference). Each default is the value that is most likely to break a careless client.
 */
export const switches = {
  requestid: {
    sentence:
      'Which writes honour requestid: all of them, everything but name lists (customers, vendors, items …), or none at all.',
    default: 'not-name-lists',
    values: ['all', 'not-name-lists', 'none'],
  },
  requestid_memory_seconds: {
    sentence: 'How long a requestid is remembered; a repeat after that is a new write.',
    default: 900,
    min: 0,
    max: 31_536_000,
  },
  requestid_replays_refusals: {
    sentence: 'A repeated requestid gets a refusal (a validation fault) replayed as well, even if the cause is gone.',
    default: true,
  },
  batch_counts_items: {
    sentence: 'Each item of a batch counts against the requests per minute, not only the batch itself.',
    default: true,
  },
  cdc_delay_seconds: {
    sentence: 'How long a change stays invisible to change data capture after it was made.',
    default: 3,
    min: 0,
    max: 3600,
  },
  changed_as_deleted: {
    sentence:
      'Where a record that was only changed is reported as deleted, with its id alone: in change data capture and webhooks, in change data capture only, or nowhere.',
    default: 'cdc-and-webhooks',
    values: ['cdc-and-webhooks', 'cdc', 'nowhere'],
  },
  batch_items: {
    sentence:
      'Whether the items of a batch run in turn and see what came before, or apart: queries see the state before the batch, writes run last first.',
    default: 'in-turn',
    values: ['in-turn', 'apart'],
  },
  refresh_token_rotation: {
    sentence: 'When a refresh gives a new refresh token value: once it is 24 hours old, or every time.',
    default: 'daily',
    values: ['daily', 'every-refresh'],
  },
  refresh_token_grace_seconds: {
    sentence: 'How long a replaced refresh token value is still accepted; 86400 is the day that some integrators saw.',
    default: 0,
    min: 0,
    max: 864_000,
  },
  authorization_code_seconds: {
    sentence: 'How long an authorization code can be exchanged.',
    default: 60,
    min: 1,
    max: 3600,
  },
  pkce: {
    sentence: 'Whether a code_challenge sent to the consent page is checked against code_verifier, or ignored.',
    default: 'honoured',
    values: ['honoured', 'ignored'],
  },
  denial_has_description: {
    sentence: 'Whether the callback after Cancel carries error_description beside error=access_denied.',
    default: false,
  },
  revoked_connection_answer: {
    sentence: 'What API calls get after the company has disconnected the app: 403 (code 3100) or 401 (code 3200).',
    default: '403',
    values: ['403', '401'],
  },
  throttle_retry_after: {
    sentence: 'The Retry-After header of a 429: left out, in seconds, or as a date.',
    default: 'none',
    values: ['none', 'seconds', 'date'],
  },
  throttle_body: {
    sentence: 'The body of a 429: always XML (as reported), or JSON if JSON was requested.',
    default: 'xml',
    values: ['xml', 'as-asked'],
  },
  query_default_maxresults: {
    sentence: 'How many objects a query returns that has no MAXRESULTS.',
    default: 100,
    min: 1,
    max: 1000,
  },
  query_like: {
    sentence: 'Whether LIKE looks at upper and lower case.',
    default: 'ignores-case',
    values: ['ignores-case', 'respects-case'],
  },
  query_undocumented_filters: {
    sentence: 'Whether members outside the documented filter lists (TotalAmt, APAccountRef …) can be filtered on.',
    default: false,
  },
  query_order_by_id: {
    sentence:
      'A query sorted by Id, which QuickBooks does not sort by since January 2026: refused (4001), answered in the order of a query without ORDERBY, or sorted as before.',
    default: 'refused',
    values: ['refused', 'ignored', 'allowed'],
  },
  query_projection: {
    sentence: 'Whether a field list returns just the members asked for, or Id, SyncToken and MetaData with them.',
    default: 'as-asked',
    values: ['as-asked', 'with-id'],
  },
  inactive_reference: {
    sentence: 'The code for a reference to an inactive record: 610 or 2500. The text is the same.',
    default: '610',
    values: ['610', '2500'],
  },
  duplicate_name_detail: {
    sentence: 'The detail of 6240: with its reason, or ending in the word null, as recorded in 2020.',
    default: 'null',
    values: ['null', 'reason'],
  },
  invoice_line_without_item: {
    sentence:
      'A sales line without ItemRef becomes text and loses its amount, as documented, or gets the default item, as seen in 2026.',
    default: 'text',
    values: ['text', 'default-item'],
  },
  unit_price_decimals: {
    sentence: 'To how many decimals UnitPrice and Qty are rounded before Amount is compared with them.',
    default: 5,
    min: 2,
    max: 15,
  },
  custom_field_length: {
    sentence: 'The longest value of a custom field; a longer one gives 2050.',
    default: 31,
    min: 1,
    max: 4000,
  },
  class_while_off: {
    sentence: 'A ClassRef where class tracking is off for that level is refused (6000) or silently dropped.',
    default: 'refused',
    values: ['refused', 'dropped'],
  },
  missing_currency: {
    sentence:
      'With multicurrency on, a transaction without CurrencyRef is taken in the home currency, in that of its customer or vendor, or refused (2020).',
    default: 'home',
    values: ['home', 'party', 'refused'],
  },
  missing_rate: {
    sentence: 'The exchange rate of a transaction that is sent without one: the rate of QuickBooks for its day, or 1.',
    default: 'one',
    values: ['own', 'one'],
  },
  old_rates: {
    sentence: 'An exchange rate of a day more than three years ago is refused, or given.',
    default: 'refused',
    values: ['refused', 'given'],
  },
  sent_rate: {
    sentence: 'Whether the exchange rate that a transaction is sent with is used, or treated as missing.',
    default: 'used',
    values: ['used', 'ignored'],
  },
  need_to_send: {
    sentence: 'Whether EmailStatus NeedToSend sends the email automatically, or waits until a person presses Send.',
    default: 'waits',
    values: ['waits', 'mails'],
  },
  send_without_address: {
    sentence: 'The code for sending a document that has no address: 6420 or 6000.',
    default: '6000',
    values: ['6420', '6000'],
  },
  payment_sparse: {
    sentence:
      'Whether a sparse payment update without CustomerRef and TotalAmt is refused (2020) or taken, or whether every payment update counts as a full one, which clears what is not sent.',
    default: 'refused',
    values: ['refused', 'taken', 'full'],
  },
  payment_over_balance: {
    sentence: 'A payment line above the open balance of its document is refused (6000) or cut to the balance.',
    default: 'refused',
    values: ['refused', 'cut'],
  },
  credit_memo_void: {
    sentence: 'Whether operation=void works for a CreditMemo; otherwise it is an unsupported operation (500).',
    default: false,
  },
  closed_period_refuses_orders: {
    sentence: 'Whether a purchase order, which posts nothing, may not be dated in a closed period either.',
    default: false,
  },
  bill_negative_lines: {
    sentence: 'Whether a Bill may have negative lines while its total is not below zero.',
    default: true,
  },
  deactivate_with_balance: {
    sentence:
      'Making a customer or vendor with a balance inactive is refused (6220) or allowed, which leaves the balance.',
    default: 'refused',
    values: ['refused', 'allowed'],
  },
  ast_override: {
    sentence:
      'With automated sales tax, a TotalTax that the client sends is replaced by the computed tax (as seen in 2026), stored when a TxnTaxCodeRef that exists comes with it (as the vendor says), or always stored.',
    default: 'replaced',
    values: ['replaced', 'with-code', 'always'],
  },
  ast_without_address: {
    sentence: 'With automated sales tax and no address on the document: no tax, or the tax at the company address.',
    default: 'no-tax',
    values: ['no-tax', 'company-address'],
  },
  missing_global_tax_calculation: {
    sentence: 'Outside the United States, a transaction without GlobalTaxCalculation is refused (2020) or TaxExcluded.',
    default: 'refused',
    values: ['refused', 'tax-excluded'],
  },
  chat_webhooks: {
    sentence:
      'What /webhooks/slack and /webhooks/teams do with a message: accept it, limit it (429 with Retry-After), fail (500), or not exist (404).',
    default: 'accept',
    values: chatAnswers,
  },
  event_webhooks: {
    sentence:
      'What /webhooks/events does with a signed event: accept it, fail (500), redirect (302), want no more (410), or answer after 15 seconds.',
    default: 'accept',
    values: eventAnswers,
  },
  webhook_format: {
    sentence: 'The body of webhooks: CloudEvents (mandatory since July 2026) or the legacy envelope.',
    default: 'cloudevents',
    values: ['cloudevents', 'legacy'],
  },
  webhook_void_verb: {
    sentence: 'The verb of CloudEvents for a void: `void` by the vendor’s announcement, `voided` in one of its lists.',
    default: 'void',
    values: ['void', 'voided'],
  },
  webhook_content_type: {
    sentence: 'The content type of CloudEvents.',
    default: 'application/json',
    values: ['application/json', 'application/cloudevents+json'],
  },
  webhook_duplicates: {
    sentence: 'Whether every webhook delivery is made twice.',
    default: false,
  },
  webhook_order: {
    sentence: 'Whether the changes of one delivery come in the order they happened, or the other way round.',
    default: 'reversed',
    values: ['as-happened', 'reversed'],
  },
  mails_per_day: {
    sentence: 'How many mails a company may send in 24 hours (40 in the vendor’s sandbox companies); 0 is no limit.',
    default: 0,
    min: 0,
    max: 100_000,
  },
  address_coordinates: {
    sentence: 'Whether addresses carry Lat and Long, as until October 2025.',
    default: false,
  },
  exempt_without_reason: {
    sentence:
      'With automated sales tax, a new customer with Taxable false and without TaxExemptionReasonId is refused (6000) or taken.',
    default: 'refused',
    values: ['refused', 'taken'],
  },
  foreign_text: {
    sentence:
      'What happens to text outside ISO-8859-1 in companies of the United States: it is stored, replaced by question marks, or refused (6000).',
    default: 'stored',
    values: ['stored', 'replaced', 'refused'],
  },
  outage: {
    sentence:
      'Whether good requests get 400 with fault 500 (Operation Could not find resource for relative), as during incidents.',
    default: false,
  },
  subscription_ended: {
    sentence: 'Whether the companies’ QuickBooks subscriptions have ended: every call gets 6190.',
    default: false,
  },
  subscription_status: {
    sentence:
      'SubscriptionStatus of CompanyInfo. In the states RESTRICTED, SUSPENDED, EXPIRED and CANCELLED reads work and every write gets 6190.',
    default: 'PAID',
    values: ['PAID', 'TRIAL', 'RESTRICTED', 'SUSPENDED', 'EXPIRED', 'CANCELLED'],
  },
  plan: {
    sentence:
      'The plan of the companies (OfferingSku of CompanyInfo). Below Plus, writes of purchase orders, classes and locations get 5020.',
    default: 'Plus',
    values: ['Simple Start', 'Essentials', 'Plus', 'Advanced'],
  },
  metered_reads: {
    sentence:
      'Whether metered calls are answered, or refused with 429 for the rest of the month, as after the monthly limit of the Builder tier; single writes are always taken. The text of that refusal is not documented.',
    default: 'open',
    values: ['open', 'blocked', 'blocked-without-words'],
  },
  metered_batches: {
    sentence:
      'Which batches the monthly limit refuses: all, or only those of queries. Batches of writes are metered, too; whether they are refused is unconfirmed.',
    default: 'all',
    values: ['all', 'queries'],
  },
  unreadable_id: {
    sentence:
      'The id of a transaction, customer, vendor, item or account with an unreadable text or email: every query, every change feed answer and every read by id that would hold it gets 4002; 0 is none. Queries of single members that leave BillEmail and PrimaryEmailAddr out work.',
    default: 0,
    min: 0,
    max: 999_999_999,
  },
  batch_answers: {
    sentence:
      'The bIds in the answer to a batch: as asked, those of the first two items swapped, the first item missing, or the first item twice.',
    default: 'as-asked',
    values: ['as-asked', 'swapped', 'missing', 'doubled'],
  },
  custom_sales_numbers_after: {
    sentence:
      'The number of an invoice or credit memo after which a person turns on custom transaction numbers, so that the next documents get none; 0 is never.',
    default: 0,
    min: 0,
    max: 999_999_999,
  },
  custom_order_numbers_after: {
    sentence: 'The same for purchase orders.',
    default: 0,
    min: 0,
    max: 999_999_999,
  },
  report_subaccount_ids: {
    sentence:
      'Whether rows of sub-accounts in reports of accounts carry an id; recorded reports of 2020 leave it out, so that only the full name tells them apart.',
    default: true,
  },
  reports_service: {
    sentence:
      'Which service answers reports: the classic one, or the modernized one of August 31, 2026. The modernized one leaves cells of 0 and -Split- empty, writes column titles in title case, lists sections in another order and always nests sub-accounts below their parents.',
    default: 'modernized',
    values: ['classic', 'modernized'],
  },
  latency_ms: {
    sentence: 'Milliseconds every call takes at least, so that calls made at once overlap as they would there.',
    default: 0,
    min: 0,
    max: 60_000,
  },
  batch_item_ms: {
    sentence:
      'Milliseconds each object of a batch takes, one after the other; a batch takes these instead of latency_ms.',
    default: 0,
    min: 0,
    max: 60_000,
  },
  language: {
    sentence:
      'The language of the duplicate-number text (6140), the one that is recorded in French as well; codes stay.',
    default: 'en',
    values: ['en', 'fr'],
  },
} as const;

/** The switches of one running sandbox. */
export type QuickBooksBehaviour = Behaviour<typeof switches>;

/** Creates the switches with their defaults. */
export function createQuickBooksBehaviour(): QuickBooksBehaviour {
  return createBehaviour(switches);
}
