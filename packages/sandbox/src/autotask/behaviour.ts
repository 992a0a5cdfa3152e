import { createBehaviour } from '../kit/behaviour.ts';

/**
 * One switch for each point that the reference leaves open (its section 16), with the default most likely to break a
 * client.
 */
const switches = {
  empty_filter_refused: {
    sentence: 'Whether a query with an empty filter list is an error; otherwise it finds every record.',
    default: true,
  },
  operator_case_ignored: {
    sentence:
      'Whether operators are understood in any letter case; otherwise “EQ” is unknown and its condition dropped.',
    default: false,
  },
  empty_text_exists: {
    sentence: 'Whether an empty text counts as a value for exist and notExist.',
    default: true,
  },
  noteq_finds_null: {
    sentence: 'Whether noteq and notIn find records whose field has no value.',
    default: false,
  },
  boolean_filter_takes_numbers: {
    sentence: 'Whether a filter on a true/false field also takes 1 and 0.',
    default: false,
  },
  include_fields_adds_id: {
    sentence: 'Whether the id is answered although IncludeFields does not name it.',
    default: false,
  },
  pages_without_id: {
    sentence: 'Whether there is a next page link when IncludeFields leaves out the id.',
    default: false,
  },
  post_link_with_get: {
    sentence: 'What a GET on a page link made by a POST query gets.',
    default: 'refused',
    values: ['refused', 'empty_page'],
  },
  query_url_limit: {
    sentence: 'Characters of path and query beyond which a GET query is not found (404).',
    default: 2100,
    min: 200,
    max: 100_000,
  },
  read_only_in_body: {
    sentence: 'What becomes of a read-only field in the body of a write.',
    default: 'refused',
    values: ['refused', 'ignored'],
  },
  cleared_text: {
    sentence: 'What a text field holds after "" or null was written to it.',
    default: 'as_sent',
    values: ['as_sent', 'null', 'empty'],
  },
  empty_text_clears_date: {
    sentence: 'Whether "" clears a date; otherwise it is a conversion error and only null clears.',
    default: false,
  },
  patch_stores: {
    sentence: 'What a PATCH that is accepted stores: all of it, all but nulls (as seen in 2026), or nothing.',
    default: 'all',
    values: ['all', 'no_nulls', 'nothing'],
  },
  invoice_number_unique: {
    sentence: 'Whether an invoice number that another invoice carries is refused.',
    default: false,
  },
  invoice_total_includes_tax: {
    sentence: 'Whether invoiceTotal includes totalTaxValue.',
    default: true,
  },
  quickbooks_calculates_taxes: {
    sentence:
      'Whether the option “QuickBooks calculates taxes” is on: invoices wait for their tax, with status 2 and the tax method QBO; otherwise they have status 1 and none.',
    default: false,
  },
  void_releases_items: {
    sentence: 'Whether the billing items of an invoice leave it when a person voids it (their invoiceID becomes 0).',
    default: true,
  },
  invoice_pdf_wrapped: {
    sentence: 'Whether the response of InvoicePdf is inside “item”.',
    default: true,
  },
  tax_rate_form: {
    sentence: 'Whether Taxes.taxRate is a percentage (8.25) or a fraction (0.0825).',
    default: 'percent',
    values: ['percent', 'fraction'],
  },
  gl_code_spelling: {
    sentence: 'How the general ledger code of expense items is spelt on the wire.',
    default: 'gLCode',
    values: ['gLCode', 'glCode'],
  },
  billing_item_numbers: {
    sentence:
      'Whether the kinds of billing items are numbered in the order of their labels; only 1, Labor, is known for sure.',
    default: 'list_order',
    values: ['list_order', 'others'],
  },
  expense_categories_are_billing_codes: {
    sentence: 'Whether an expense category has the number of its billing code.',
    default: true,
  },
  access_form: {
    sentence: 'Whether userAccessFor… in the entity information is a word or a number (0 None, 1 All, 2 Restricted).',
    default: 'word',
    values: ['word', 'number'],
  },
  api_users_listed: {
    sentence: 'Whether API users appear in Resources.',
    default: true,
  },
  module_procurement: { sentence: 'Whether the Procurement module is on.', default: true },
  module_multi_currency: { sentence: 'Whether the Multi-currency module is on.', default: true },
  module_structure: {
    sentence: 'Whether the module of the organizational structure is on; without it lines of business are read-only.',
    default: true,
  },
  module_key_procurement: {
    sentence: 'The number under which Modules answers for Procurement; it changes how that number is read.',
    default: 65,
    min: 1,
    max: 999,
  },
  module_key_multi_currency: {
    sentence: 'The number under which Modules answers for Multi-currency; it changes how that number is read.',
    default: 70,
    min: 1,
    max: 999,
  },
  procurement_off_answer: {
    sentence: 'What purchase orders answer without the Procurement module.',
    default: 'error',
    values: ['error', 'empty'],
  },
  unauthorized_body: {
    sentence: 'The body of a 401.',
    default: 'empty',
    values: ['empty', 'errors', 'html'],
  },
  tracking_identifier_answer: {
    sentence:
      'What a wrong tracking identifier gets: 500 with a text (as seen), or an empty 401 (as another source says).',
    default: 'status_500',
    values: ['status_500', 'status_401'],
  },
  gzip_bodies: {
    sentence: 'Whether request bodies that are compressed with gzip are decoded, as the service does; otherwise 415.',
    default: true,
  },
  maintenance: {
    sentence: 'Whether every call gets 200 with an HTML page, as during planned maintenance.',
    default: false,
  },
  not_found_body: {
    sentence: 'The body of a 404 for an unknown path.',
    default: 'html',
    values: ['html', 'message'],
  },
  lock_after_failures: {
    sentence: 'Wrong secrets in a row after which an API user is locked; 0 for never.',
    default: 10,
    min: 0,
    max: 1000,
  },
  quota_answer: {
    sentence: 'How a request beyond the hourly quota is refused.',
    default: 'status_500',
    values: ['status_500', 'status_429', 'status_429_retry_after'],
  },
  quota_latency: {
    sentence: 'Whether calls become slower from half of the hourly quota on: 0.5 s, from three quarters 1 s.',
    default: true,
  },
  threads_answer: {
    sentence: 'How a request beyond the thread limit is refused; the text is the same.',
    default: 'status_500',
    values: ['status_500', 'status_429'],
  },
  latency_ms: {
    sentence: 'Milliseconds every call takes at least, so that calls made at once overlap as they would there.',
    default: 2,
    min: 0,
    max: 60_000,
  },
} as const;

/** Creates the switches. */
export const createAutotaskBehaviour = () => createBehaviour(switches);

/** The switches of this sandbox. */
export type AutotaskBehaviour = ReturnType<typeof createAutotaskBehaviour>;
