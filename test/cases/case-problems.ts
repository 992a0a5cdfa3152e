import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAnswer as readAccountingAnswer } from '#connectors/quickbooks/errors.ts';
import { readAnswer as readPsaAnswer } from '#connectors/autotask/errors.ts';
import type { HttpResult } from '#connectors/http-client.ts';
import { planInvoice } from '#core/planning/plan-invoice.ts';
import { verify } from '#core/planning/verify.ts';
import { problemOfService, type Problem } from '#core/problems.ts';
import { ServiceError } from '#core/service-error.ts';
import { factsOfInvoice, type InvoiceGiven } from './invoice-given.ts';
import { decidePurchase, type PurchaseGiven } from './purchase-given.ts';
import { decideSettlement, type SettlementGiven } from './settlement-given.ts';

const label = 'Autotask';

/** Returns all problems of a case, including warnings. */
export function problemsOfCase(kind: string, name: string): readonly Problem[] {
  const given: unknown = JSON.parse(readFileSync(join(import.meta.dirname, kind, name, 'given.json'), 'utf8'));
  if (kind === 'invoice') {
    const of = given as InvoiceGiven;
    const decision = planInvoice(factsOfInvoice(of));
    if (decision.outcome !== 'plan') return decision.outcome === 'refuse' ? decision.problems : [];
    const { plan } = decision;
    return [...plan.warnings, ...(of.posted === undefined ? [] : verify(plan, of.posted, label).warnings)];
  }
  const decision = decidePurchase[kind]?.(given as PurchaseGiven) ?? decideSettlement[kind]?.(given as SettlementGiven);
  switch (decision?.outcome) {
    case 'plan':
      return decision.plan.warnings;
    case 'refuse':
      return decision.problems;
    case 'skip':
      return (decision as { readonly warnings?: readonly Problem[] }).warnings ?? [];
    default:
      return [];
  }
}

/** Returns the complete response of a service. */
export const responseOf = (status: number, body?: unknown, waitMs?: number): HttpResult => ({
  isAnswered: true,
  status,
  headers: new Headers(),
  text: body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body),
  traceId: undefined,
  waitMs,
});
const noResponse: HttpResult = {
  isAnswered: false,
  isUnsent: false,
  reason: 'no response in time',
  status: undefined,
  traceId: undefined,
};

/** Returns the problem for an error response of QuickBooks: a fault code, or `nothing` for no response. */
export const quickbooksProblem = (fault: number | 'nothing'): Problem => {
  const body = {
    Fault: { Error: [{ Message: 'Refused', Detail: 'Service message.', code: String(fault) }], type: 'Fault' },
  };
  return problemIn(() =>
    readAccountingAnswer('POST /invoice', fault === 'nothing' ? noResponse : responseOf(400, body), []),
  );
};

/** Returns the problem for an error response of Autotask: a status, or `nothing` for no response. */
export const autotaskProblem = (status: number | 'nothing'): Problem =>
  problemIn(() =>
    readPsaAnswer(
      'PATCH /Invoices',
      status === 'nothing' ? noResponse : responseOf(status, { errors: ['Service message.'] }),
      [],
    ),
  );

function problemIn(call: () => unknown): Problem {
  try {
    call();
  } catch (error) {
    if (error instanceof ServiceError) return problemOfService(error.about, label);
    throw error;
  }
  throw new Error('an error response was accepted');
}
