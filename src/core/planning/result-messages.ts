import { documentName, type Kind } from '../kinds.ts';
import { never } from '../values/assert.ts';
import { format, plus } from '../values/decimal.ts';
import {
  differenceMessages,
  expenseReportMessages,
  invoiceMessages,
  isCreditMemo,
  paymentMessages,
  purchaseOrderMessages,
  updateMessages,
  voidMessages,
} from './messages.ts';
import { lastCommand, type Plan } from './plan.ts';

/** A document and its plan. */
interface Planned {
  readonly kind: Kind;
  readonly psaId: number;
  readonly plan: Plan;
}

/**
 * Returns the message that a document was posted.
 *
 * @param reference its number or id in QuickBooks
 */
export function postedMessage({ kind, psaId, plan }: Planned, reference: string): string {
  const command = lastCommand(plan);
  if (command.do === 'update') return updateMessages.updated(documentName(kind, psaId), reference);
  switch (kind) {
    case 'invoice':
      return invoiceMessages.created(psaId, reference, isCreditMemo(plan));
    case 'purchase_order':
      return purchaseOrderMessages.created(psaId, reference);
    case 'expense_report':
      return expenseReportMessages.created(psaId, reference);
    case 'difference':
      return differenceMessages.billed(psaId, reference, isCreditMemo(plan));
    case 'payment':
      return paymentMessages.created(psaId, paidAmount(plan));
    case 'void':
      return command.do === 'create_credit_memo'
        ? voidMessages.credited(psaId, reference, command.document.datedOn)
        : voidMessages.voided(psaId, reference, command.do === 'void' && command.type === 'CreditMemo');
    default:
      return never(kind);
  }
}

/** Returns the message of a test: what a live sync would do. */
export function testMessage({ kind, psaId, plan }: Planned): string {
  if (lastCommand(plan).do === 'update') return updateMessages.wouldBeUpdated(documentName(kind, psaId));
  const amount = format(plus(plan.expected.subtotal, plan.expected.tax));
  switch (kind) {
    case 'invoice':
      return invoiceMessages.wouldBeCreated(psaId, plan);
    case 'purchase_order':
      return purchaseOrderMessages.wouldBeCreated(psaId, plan);
    case 'expense_report':
      return expenseReportMessages.wouldBeCreated(psaId, plan);
    case 'difference':
      return differenceMessages.wouldBeBilled(psaId, amount, isCreditMemo(plan));
    case 'payment':
      return paymentMessages.wouldBeCreated(psaId, paidAmount(plan));
    case 'void':
      return isCreditMemo(plan) ? voidMessages.wouldBeCredited(psaId, amount) : voidMessages.wouldBeVoided(psaId);
    default:
      return never(kind);
  }
}

function paidAmount(plan: Plan): string {
  const command = lastCommand(plan);
  return command.do === 'create_payment' ? format(command.payment.amount) : '';
}
