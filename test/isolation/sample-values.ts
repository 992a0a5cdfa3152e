import type { RouteName } from '#contract/routes.ts';
import { settingKeys } from '#core/settings/definitions.ts';

const settings = Object.fromEntries(
  settingKeys.flatMap((key) => [[`body.${key}`, null] as const, [`body.${key}[]`, null] as const]),
);

/** A one-time code that no user has. */
const unknownCode = 'a-code-that-no-user-has';
const password = { 'body.password': 'Wrong-Horse-9!' };
const code = { 'body.code': '000000' };
const apiUser = { 'body.api_user': 'unknown', 'body.api_secret': 'nothing' };
const person = { 'body.first_name': 'No', 'body.last_name': 'Body', 'body.email': 'unknown@nowhere.example' };
const page = { 'query.page': '1', 'query.page_size': '10' };
const psaQuery = {
  'body.query.filter[].field': 'id',
  'body.query.filter[].value': 1,
  'body.query.filter[].value[]': 1,
  'body.query.includeFields[]': 'id',
  'body.query.MaxRecords': 10,
};

/**
 * Sample values that name no record of a client, by route: free text, the caller's credentials, records in the caller's
 * own services, and one-time codes (tested in codes.test.ts). The matrix also sends ids of another client in these
 * places.
 */
export const sampleValues: Partial<Readonly<Record<RouteName, Readonly<Record<string, unknown>>>>> = {
  listCloses: { 'query.months': '12' },
  readClose: { 'params.month': '2026-02' },
  prepareClose: { 'params.month': '2026-02' },
  signClose: { 'params.month': '2026-02', 'body.checked[]': 'completeness', 'body.reason': 'A sentence.' },
  decideException: { 'params.month': '2026-02', 'body.key': 'invoice 1 USD unexplained', 'body.reason': 'A sentence.' },
  decideExceptions: {
    'params.month': '2026-02',
    'body.reason': 'A sentence.',
    'body.differences[].key': 'invoice 1 USD unexplained',
    'body.differences[].amount': '1.00',
  },
  settleException: { 'params.month': '2026-02', 'body.key': 'invoice 1 USD unexplained' },
  downloadClose: { 'params.month': '2026-02' },
  listAskable: { 'query.month': '2026-02' },
  askUsers: { 'body.month': '2026-02', 'body.to': 'unknown@nowhere.example' },
  saveNoticePreferences: { 'body.digest_hour': 8 },
  addChat: {
    'body.name': 'Finance',
    'body.address': 'https://hooks.slack.com/services/nowhere',
    'body.groups[]': 'month_signed',
  },
  addWebhookEndpoint: { 'body.address': 'https://nowhere.example/events', 'body.events[]': 'month.signed' },
  changeWebhookEndpoint: { 'body.events[]': 'month.signed' },
  pauseWebhookEndpoint: { 'body.paused': false },
  listWebhookDeliveries: { 'query.failed': 'false', ...page },
  changeChat: { 'body.name': 'Finance', 'body.groups[]': 'month_signed' },
  listNotices: page,
  deactivateUser: { 'body.to': 'admin@northwind-msp.example' },
  removeUser: { 'body.to': 'admin@northwind-msp.example' },
  listDrafts: page,
  approveDrafts: { 'body.run': 'an-unknown-run' },
  rejectDrafts: { 'body.reason': 'A sentence.' },
  login: { 'body.username': 'unknown@nowhere.example', ...password, ...code },
  signOn: { 'body.token': unknownCode },
  beginProviderSignIn: { 'body.username': 'unknown@nowhere.example' },
  providerCallback: {
    'query.state': unknownCode,
    'query.code': unknownCode,
    'query.iss': 'https://nowhere.example',
    'query.error': 'access_denied',
    'query.error_description': 'A sentence.',
  },
  providerCode: { 'body.question': unknownCode, ...code },
  saveSignInProvider: {
    'body.issuer': 'https://nowhere.example',
    'body.client_id': 'unknown',
    'body.client_secret': 'nothing',
    'body.domains[]': 'nowhere.example',
  },
  // The address must belong to an administrator of the caller's client.
  requireSignInProvider: { 'body.break_glass': 'unknown@nowhere.example' },
  forgotPassword: { 'body.email': 'unknown@nowhere.example' },
  resetPassword: { 'body.token': unknownCode, ...password },
  confirmEmailPage: { 'query.token': unknownCode },
  confirmEmail: { 'body.token': unknownCode },
  changePassword: { 'body.new_password': 'Quite-Another-9', ...password, ...code },
  // An existing company of another client and an unknown company get the same response.
  findAccountingCompany: { 'params.realm_id': '999999' },
  verifySignOn: { 'body.tenant_id': 'nowhere', 'body.resource_id': '999999' },
  authorizeSignOn: { 'query.tenant_id': 'nowhere', 'query.resource_id': '999999', 'query.referrer': '/settings' },
  authorizeSignOnForm: {
    'body.tenant_id': 'nowhere',
    'body.resource_id': '999999',
    'body.referrer': '/settings',
    'body.username': 'unknown@nowhere.example',
    ...password,
    ...code,
    'body.question': unknownCode,
  },
  connectPsaPage: { 'query.token': unknownCode, 'query.tenant_id': 'nowhere', 'query.resource_id': '999999' },
  connectPsaForm: { 'body.form': unknownCode, ...apiUser },
  connectAccounting: { 'query.token': unknownCode },
  connectAccountingCallback: {
    'query.state': unknownCode,
    'query.code': unknownCode,
    'query.realmId': '1',
    'query.error': 'access_denied',
  },
  validatePsaAccess: apiUser,
  validatePsaResource: { ...apiUser, ...person },
  completeRegistration: {
    ...apiUser,
    ...person,
    'body.company.id': 1,
    'body.company.companyName': 'Nowhere',
    ...password,
    'body.time_zone': 'UTC',
  },
  readInvitation: { 'body.token': unknownCode },
  acceptInvitation: { 'body.token': unknownCode, ...password },
  listClientStates: { 'query.q': 'msp', ...page },
  listUsers: { 'query.q': 'a', ...page },
  createApiKey: { 'body.name': 'Nightly report', 'body.scope': 'read', 'body.days': 30 },
  inviteUser: { 'body.email': 'unknown@nowhere.example', 'body.name': 'Unknown' },
  beginSecondFactor: password,
  confirmSecondFactor: code,
  replaceRecoveryCodes: { ...password, ...code },
  turnOffSecondFactor: { ...password, ...code },
  changeClientStatus: { 'body.reason': 'A sentence.' },
  deleteClient: { 'body.name': 'Unknown' },
  changeMaintenance: { 'body.message': 'Back at noon.' },
  searchCustomers: { 'query.DisplayName': 'a' },
  searchVendors: { 'query.DisplayName': 'a' },
  searchItems: { 'query.attributes': 'Id|Name', 'query.Name': 'a' },
  queryPsa: { ...psaQuery, 'query.after_id': 10 },
  countCompanies: psaQuery,
  clearSyncErrors: { 'body.ids[]': 48213 },
  listMappings: { 'query.source_entity': 'BillingCode', 'query.source_value': '29', 'query.target_value': '21' },
  searchMappingTargets: { 'query.q': 'a', 'query.limit': '10' },
  listMappingChanges: page,
  undoMappingChange: { 'body.change': '0' },
  saveMappings: {
    'body.changes[]': ['29', '21', null],
    'body.xrefs[].was': '21',
    'body.xrefs[].source_entity': 'BillingCode',
    'body.xrefs[].source_value': '29',
    'body.xrefs[].source_value_label': 'Labour',
    'body.xrefs[].target_entity': 'Item',
    'body.xrefs[].target_value': '21',
    'body.xrefs[].target_value_label': 'Services',
  },
  submitAll: { 'body.confirmed': 1 },
  describeDocuments: { 'params.kind': 'invoices', 'body.ids[]': 48213 },
  submitInvoices: { 'body.invoice_ids[]': 48213, 'body.prefers': 'psa' },
  submitPayments: { 'body.invoice_ids[]': 48213 },
  submitVoids: { 'body.invoice_ids[]': 48213 },
  submitDifferences: { 'body.invoice_ids[]': 48213 },
  submitPurchaseOrders: { 'body.po_ids[]': 3310, 'body.prefers': 'psa' },
  submitExpenseReports: { 'body.expense_report_ids[]': 1207, 'body.prefers': 'psa' },
  logs: { 'query.after': '2025-03-01', 'query.before': '2025-03-31', 'query.q': 'a', ...page },
  listRuns: page,
  readDocument: { 'params.entityid': '48213', 'query.page_size': '10' },
  readCurrentDocument: { 'params.entityid': '48213' },
  listAudit: { ...page, 'query.q': 'a', 'query.person': 'a' },
  accountingNotification: { body: {} },
  saveTimeZone: { 'body.time_zone': 'UTC' },
  saveSettings: settings,
  previewSettings: settings,
};

const fieldKeys = 'keys of fields, which name no record';

/** Parts of requests that accept unknown keys, with the reason. All other parts reject unknown keys. */
export const openObjects: Partial<Readonly<Record<RouteName, Readonly<Record<string, string>>>>> = {
  connectPsaPage: { query: "the screens also send the user's name; only the ticket counts" },
  connectPsaForm: {
    body: "the fields of the PSA's credentials; their texts are limited, other fields are ignored",
  },
  connectAccounting: { query: 'a link that a user opens' },
  connectAccountingCallback: { query: 'the service may add parameters' },
  providerCallback: { query: 'the provider may add parameters' },
  accountingNotification: { body: 'signed bytes, read by the connector' },
  submitInvoices: { 'body.prefers': fieldKeys },
  submitPurchaseOrders: { 'body.prefers': fieldKeys },
  submitExpenseReports: { 'body.prefers': fieldKeys },
};

/** Request headers that the API reads. None of them selects a client. */
export const knownHeaders: readonly string[] = [
  'accept-encoding',
  'authorization',
  'content-length',
  'cookie',
  'host',
  'if-none-match',
  'intuit-signature',
  'origin',
  'sec-fetch-site',
  'transfer-encoding',
  'user-agent',
  'x-request-id',
];
