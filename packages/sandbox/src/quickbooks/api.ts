import { isUtf8 } from 'node:buffer';
import type { SandboxAnswer, SandboxRequest } from '../kit/definition.ts';
import { upload, temporaryUrl, withLinks } from './attachments.ts';
import { mailIfRequested, runBatch } from './batch.ts';
import { changesSince } from './cdc.ts';
import type { Company } from './company.ts';
import { type Doc, isDoc, shown, textAt } from './doc.ts';
import { documentText } from './document.ts';
import { type EntityKind, findKind, kindOf } from './entities.ts';
import { fault, type GatewayFault, ServiceFault } from './faults.ts';
import { sendByMail } from './mail.ts';
import { tidOf } from './oauth.ts';
import { pdfOf } from './pdf.ts';
import { runQuery } from './query-run.ts';
import { render, renderCreated, renderRead } from './render.ts';
import { runReport } from './reports/run-report.ts';
import type { Outcome, RequestIds } from './request-ids.ts';
import { remove, save, voidEntry } from './save.ts';
import { createTaxCode } from './tax-service.ts';
import { checkReadable } from './unreadable.ts';
import { pacificDate, pacificTime } from './times.ts';
import { toXml } from './xml.ts';

/** Returns whether a client asks for JSON; otherwise it gets XML. */
export function wantsJson(request: SandboxRequest): boolean {
  return /\bjson\b/i.test(request.headers.accept ?? '');
}

function headersFor(request: SandboxRequest, type: string): Record<string, string> {
  return {
    'Content-Type': type,
    intuit_tid: tidOf(request.sequence),
    'QBO-Version': '2026.75.1',
    'Service-Time': 'total=35, db=12',
    'Cache-Control': 'max-age=0, no-cache, no-store, must-revalidate, private',
    Server: 'nginx',
  };
}

/** Returns a gateway fault as a response, in JSON or XML. */
export function gatewayAnswer(
  request: SandboxRequest,
  error: GatewayFault,
  atMs: number,
  isJson = wantsJson(request),
): SandboxAnswer {
  const headers = { ...headersFor(request, isJson ? 'application/json' : 'application/xml'), ...error.headers };
  if (isJson) return { status: error.status, headers, body: JSON.stringify(error.toJson(atMs)) };
  const fault: Doc = { type: error.type, Error: [{ Message: error.message, Detail: error.detail, code: error.code }] };
  return { status: error.status, headers, body: toXml({ Fault: fault }, pacificTime(atMs, { withMs: true })) };
}

/** Returns the recorded French text of a duplicate number; other texts remain English. */
function translated(company: Company, doc: Doc): Doc {
  if (company.behaviour.get('language') === 'en') return doc;
  const text = JSON.stringify(doc)
    .replaceAll('Duplicate Document Number Error', 'Numéro de document en double')
    .replaceAll(
      'You must specify a different number. This number has already been used.',
      'Vous devez indiquer un nombre différent. Ce numéro a déjà été utilisé.',
    )
    .replaceAll('TxnType=Invoice', 'TxnType=Facture');
  // Only texts inside the document changed, so its type is the same.
  return JSON.parse(text) as Doc;
}

function answerOf(request: SandboxRequest, company: Company, outcome: Outcome): SandboxAnswer {
  const time = shown(outcome.body['time'] ?? pacificTime(company.clock.now(), { withMs: true }));
  const isJson = wantsJson(request);
  const body = translated(company, outcome.body);
  const type = isJson ? `application/json${outcome.status === 200 ? ';charset=utf-8' : ''}` : 'application/xml';
  return {
    status: outcome.status,
    headers: headersFor(request, type),
    body: isJson ? JSON.stringify(body) : toXml(body, time),
    applied: outcome.applied,
  };
}

/** One call to the API of a company. */
class Call {
  readonly request: SandboxRequest;
  readonly company: Company;
  readonly memory: RequestIds;

  constructor(request: SandboxRequest, company: Company, memory: RequestIds) {
    this.request = request;
    this.company = company;
    this.memory = memory;
  }

  param(name: string): string | null {
    const { params } = this.request;
    const exact = params.get(name);
    if (exact !== null) return exact;
    for (const [key, value] of params) if (key.toLowerCase() === name.toLowerCase()) return value;
    return null;
  }

  get include(): ReadonlySet<string> {
    return new Set(
      (this.param('include') ?? '')
        .toLowerCase()
        .split(',')
        .filter((part) => part !== ''),
    );
  }

  /** Returns the media type of the body in lower case, without parameters; empty when it is missing. */
  get mediaType(): string {
    return (this.request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  }

  /** Parses the body as a JSON object; rejects anything else with the service's fault. */
  body(): Doc {
    const { request } = this;
    if (!isUtf8(request.body)) throw fault.notUtf8();
    if (this.mediaType !== 'application/json') throw fault.contentType(request.headers['content-type'] ?? 'none');
    let parsed: unknown;
    try {
      parsed = JSON.parse(request.text());
    } catch {
      throw fault.badJson('Unexpected character or end of input');
    }
    if (!isDoc(parsed)) throw fault.badJson('Can not deserialize instance');
    return parsed;
  }

  timed(body: Doc): Doc {
    return { ...body, time: pacificTime(this.company.clock.now(), { withMs: true }) };
  }

  read(body: Doc): Outcome {
    return { status: 200, body: this.timed(body), applied: false };
  }

  /** Runs a write once per requestid. Faults are remembered too, when the switch is set. */
  write(kind: EntityKind | undefined, run: () => Doc): Outcome {
    return this.memory.once(this.company, kind, this.param('requestid'), () => {
      try {
        return { status: 200, body: this.timed(run()), applied: true };
      } catch (error) {
        return this.refused(error);
      }
    });
  }

  refused(error: unknown): Outcome {
    if (!(error instanceof ServiceFault)) throw error;
    const body: Doc = { Fault: error.toJson() };
    return { status: error.status, body: error.hasTime ? this.timed(body) : body, applied: false };
  }

  rendered(kind: EntityKind, id: string): Doc {
    const entry = this.company.find(kind.name, id);
    if (entry === undefined) {
      const isDeleted = this.company.table(kind.name).tombstones.some((tombstone) => tombstone.id === id);
      throw isDeleted ? fault.deletedByOther() : fault.inactive();
    }
    const doc = render(this.company, kind, entry);
    if (kind.name === 'Attachable') return withLinks(this.company, doc, this.request.baseUrl);
    const isPayable = doc['AllowOnlineCreditCardPayment'] === true || doc['AllowOnlineACHPayment'] === true;
    if (kind.name === 'Invoice' && this.include.has('invoicelink') && isPayable && doc['BillEmail'] !== undefined)
      doc['InvoiceLink'] = `${this.request.baseUrl}/pay/${this.company.realmId}/${id}`;
    return doc;
  }
}

function checkId(kind: EntityKind, id: string): void {
  if (kind.kind !== 'tax' && !/^\d+$/.test(id)) throw fault.invalidId(id);
}

/** Entities whose response to a create differs from later ones. */
const createdOtherwise: ReadonlySet<string> = new Set(['Account', 'Customer', 'Vendor']);

function post(call: Call, kind: EntityKind): Outcome {
  const { company } = call;
  const body = call.body();
  return call.write(kind, () => {
    const operation = call.param('operation')?.toLowerCase();
    const include = call.include;
    if (operation === 'delete')
      return { [kind.name]: { domain: 'QBO', status: 'Deleted', Id: remove(company, kind, body).id } };
    if (operation === 'void' || (operation === 'update' && include.has('void')))
      return { [kind.name]: render(company, kind, voidEntry(company, kind, body)) };
    if (operation !== undefined && operation !== 'update' && operation !== 'create')
      throw fault.operationRefused(operation);
    const entry = save(company, kind, body, { include });
    const { id } = entry;
    const isNew = textAt(body, 'Id') === undefined;
    if (isNew && createdOtherwise.has(kind.name)) return { [kind.name]: renderCreated(company, kind, entry) };
    mailIfRequested(company, kind.name, id);
    return { [kind.name]: call.rendered(kind, id) };
  });
}

/** Years for which QuickBooks has exchange rates. */
const rateYears = 3;

function exchangeRate(call: Call): Doc {
  const { company } = call;
  const code = call.param('sourcecurrencycode')?.toUpperCase();
  if (code === undefined || code === '') throw fault.missing('sourcecurrencycode');
  if (!company.preferences.isMultiCurrency) throw fault.feature('Multicurrency is not enabled for this company.');
  const today = pacificDate(company.clock.now());
  const date = call.param('asofdate') ?? today;
  const oldest = `${Number(today.slice(0, 4)) - rateYears}${today.slice(4)}`;
  if (date < oldest && company.behaviour.get('old_rates') === 'refused')
    throw fault.business('Exchange rates are available for the last three years.', 'asofdate');
  const known = company.table('ExchangeRate').find('SourceCurrencyCode', code);
  if (known.size === 0 && code !== company.preferences.homeCurrency) throw fault.badEnum(code, 'SourceCurrencyCode');
  return {
    SourceCurrencyCode: code,
    TargetCurrencyCode: company.preferences.homeCurrency,
    Rate: company.rateOf(code, date).toNumber(),
    AsOfDate: date,
    MetaData: { LastUpdatedTime: pacificTime(company.nowMs()) },
  };
}

/** Returns files and plain text, by the last part of the path; undefined for other paths. */
function fileAnswer(call: Call, kind: EntityKind | undefined, parts: readonly string[]): SandboxAnswer | undefined {
  const { request, company } = call;
  const [resource, id = '', action] = parts;
  if (resource === 'download' && request.method === 'GET' && parts.length === 2) {
    const entry = company.find('Attachable', id);
    if (entry === undefined || !company.files.has(id)) throw fault.inactive();
    const url = temporaryUrl(request.baseUrl, company, id, textAt(entry.body, 'FileName') ?? id);
    return { status: 200, headers: headersFor(request, 'text/plain'), body: url };
  }
  if (action !== 'pdf' || request.method !== 'GET' || kind === undefined || parts.length !== 3) return undefined;
  if (!kind.operations.has('pdf')) throw fault.unsupportedOperation(request.path);
  checkId(kind, id);
  call.rendered(kind, id);
  const entry = company.find(kind.name, id);
  const lines = entry === undefined ? [] : documentText(company, kind, entry);
  return { status: 200, headers: headersFor(request, 'application/pdf'), body: pdfOf(lines) };
}

/** Content types of a posted query (quickbooks reference 2.1). */
const statementTypes: ReadonlySet<string> = new Set(['application/text', 'text/plain']);

function route(call: Call, parts: readonly string[]): Outcome {
  const { request, company, memory } = call;
  const { method } = request;
  const [resource = '', id, action] = parts;
  const unsupported = () => fault.unsupportedOperation(request.path);
  if (resource === 'query' && parts.length === 1) {
    if (method === 'POST' && !statementTypes.has(call.mediaType))
      throw fault.contentType(request.headers['content-type'] ?? 'none');
    const statement = method === 'POST' ? request.text() : call.param('query');
    if (statement === null || statement.trim() === '') throw fault.missing('query');
    return call.read({ QueryResponse: runQuery(company, statement) });
  }
  if (resource === 'batch' && parts.length === 1 && method === 'POST') {
    const outcome = runBatch(company, call.body(), call.param('requestid'), memory);
    return { ...outcome, body: call.timed(outcome.body) };
  }
  if (resource === 'cdc' && parts.length === 1 && method === 'GET')
    return call.read({ CDCResponse: changesSince(company, call.param('entities'), call.param('changedSince')) });
  if (resource === 'upload' && parts.length === 1 && method === 'POST')
    return call.write(kindOf('Attachable'), () => ({
      AttachableResponse: upload(company, request.headers['content-type'] ?? '', request.body, request.baseUrl),
    }));
  if (resource === 'taxservice' && id === 'taxcode' && parts.length === 2 && method === 'POST') {
    const body = call.body();
    return call.write(undefined, () => createTaxCode(company, body));
  }
  if (resource === 'reports' && parts.length === 2 && id !== undefined && method === 'GET') {
    const body = runReport(id, { company, param: (name) => call.param(name) || undefined });
    if (body === undefined) throw unsupported();
    return { status: 200, body, applied: false };
  }
  const kind = findKind(resource);
  if (kind === undefined || kind.resource !== resource) throw unsupported();
  if (parts.length === 1) {
    if (method === 'POST') return post(call, kind);
    if (kind.name === 'Preferences') return call.read({ Preferences: call.rendered(kind, '1') });
    if (kind.name === 'ExchangeRate') return call.read({ ExchangeRate: exchangeRate(call) });
    throw unsupported();
  }
  if (parts.length === 2 && id !== undefined && method === 'GET') {
    checkId(kind, id);
    const isOwn = kind.name === 'CompanyInfo' && id === company.realmId;
    const doc = call.rendered(kind, isOwn ? '1' : id);
    const entry = company.find(kind.name, id);
    if (entry !== undefined) checkReadable(company, kind, entry);
    const isName = (kind.name === 'Customer' || kind.name === 'Employee') && entry !== undefined;
    return call.read({ [kind.name]: isName ? renderRead(company, kind, entry) : doc });
  }
  if (parts.length === 3 && id !== undefined && action === 'send' && method === 'POST') {
    if (!kind.operations.has('send')) throw unsupported();
    checkId(kind, id);
    return call.write(kind, () => {
      call.rendered(kind, id);
      const entry = company.find(kind.name, id);
      if (entry !== undefined) sendByMail(company, kind, entry, call.param('sendTo'), 'send');
      return { [kind.name]: call.rendered(kind, id) };
    });
  }
  throw unsupported();
}

/**
 * Handles one call below `/v3/company/{realmId}`. The caller has been authorized before.
 *
 * @param parts segments of the path below the company
 */
export function answerCall(
  request: SandboxRequest,
  company: Company,
  memory: RequestIds,
  parts: readonly string[],
): SandboxAnswer {
  const call = new Call(request, company, memory);
  try {
    if (company.behaviour.get('subscription_ended')) throw fault.subscriptionEnded();
    if (company.behaviour.get('outage')) throw fault.unsupportedOperation(request.path);
    const file = fileAnswer(call, findKind(parts[0] ?? ''), parts);
    return file ?? answerOf(request, company, route(call, parts));
  } catch (error) {
    return answerOf(request, company, call.refused(error));
  }
}
