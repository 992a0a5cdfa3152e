import { planSource } from '#contract/planned.ts';
import type { CurrentDocumentReply, DocumentReply } from '#contract/documents.ts';
import { stateOf } from '#core/attention.ts';
import { documentEventsOf, type DocumentEvent } from '#core/document-events.ts';
import type { DocumentPages } from '#core/ports/document-pages.ts';
import type { Posting } from '#core/records/postings.ts';
import { fixed } from '#core/values/decimal.ts';
import { type AccountingSide, type PsaSide, readCurrentDocument, type Side } from '#flows/documents/current.ts';
import { type DocumentHistory, readDocumentHistory } from '#flows/documents/history.ts';
import { answerOf } from '../errors.ts';
import { type Frozen, serve, type Serving } from '../serve.ts';
import { toWire } from '../to-wire.ts';
import { toEntry, toView } from './planned.ts';
import { toDocumentHead } from './wire.ts';

export function documentRoutes(serving: Serving): void {
  const { app } = serving;

  serve(serving, 'readDocument', async ({ context, params, query }) => ({
    data: toDocument(
      await readDocumentHistory(context, params.kind, params.entityid, query.page_size),
      app.documentPages,
    ),
  }));

  serve(serving, 'readCurrentDocument', async ({ context, params }) => {
    const { psa, accounting } = await readCurrentDocument(context, params.kind, params.entityid);
    const messageOf = (side: Side<unknown>) => (side.state === 'failed' ? answerOf(side.error, app).message : null);
    return {
      data: {
        psa: { state: psa.state, message: messageOf(psa), ...toPsaSide(psa.state === 'found' ? psa.value : null) },
        accounting: {
          state: accounting.state,
          message: messageOf(accounting),
          ...toAccountingSide(accounting.state === 'found' ? accounting.value : null),
        },
      },
    };
  });
}

function toDocument(history: DocumentHistory, pages: DocumentPages): Frozen<DocumentReply> {
  const { kind, psaId, about, state, problems, plan, postings, drafts, more } = history;
  return {
    type: kind,
    entityid: psaId,
    ...toDocumentHead(about),
    state,
    problems: problems.map(({ kind: type, entry, problems: found }) => ({
      type,
      state: stateOf(found),
      at: entry.at,
      message: entry.message,
      problems: found,
      log_key: entry.key,
    })),
    draft_id: drafts.find((one) => one.state === 'waiting')?.id ?? null,
    plan: plan && {
      document: toView(plan.preview.view),
      currency: plan.preview.view.currency ?? plan.preview.homeCurrency,
      entries: plan.preview.effect.entries.map(toEntry),
      test: plan.isTest,
      at: plan.at,
      log_key: plan.key,
    },
    postings: postings.map(toPosting),
    events: documentEventsOf(history).map(toEvent),
    more,
    pages: { psa: pages.inPsa(kind, psaId), accounting: accountingPage(history, pages) },
  };
}

/** Returns the page of the current QuickBooks document; null if it was not created or no longer exists. */
function accountingPage({ kind, postings }: DocumentHistory, pages: DocumentPages): string | null {
  const own = postings.find((one) => one.kind === kind && one.status !== 'refused');
  if (own === undefined || own.targetId === null || own.status === 'deleted_in_accounting') return null;
  // A credit memo is recognized by its remaining credit.
  const isCredit = own.targetType === 'CreditMemo';
  return pages.inAccounting(kind, { Id: own.targetId, ...(isCredit && { RemainingCredit: 0 }) });
}

const toPosting = ({ kind, status, targetType, number, total, createdAt, drift }: Posting) => ({
  type: kind,
  status,
  form: targetType,
  number,
  total: total === null ? null : fixed(total),
  created_at: createdAt,
  drift: [...drift],
});

const toEvent = ({ event, kind, at, by, isManual, success, message, logKey, runId, month }: DocumentEvent) => ({
  event,
  type: kind,
  at,
  by,
  manual: isManual,
  success,
  message,
  log_key: logKey,
  run_id: runId,
  month,
});

const toPsaSide = (side: PsaSide | null): Omit<Frozen<CurrentDocumentReply['psa']>, 'state' | 'message'> => ({
  document:
    side === null ? null : toWire(planSource, { ...side.source, date: side.source.datedOn, due: side.source.dueOn }),
  created_at: side?.createdAt ?? null,
  paid_on: side?.paidOn ?? null,
  voided: side?.isVoided ?? false,
  status: side?.status ?? null,
});

const toAccountingSide = (
  side: AccountingSide | null,
): Omit<Frozen<CurrentDocumentReply['accounting']>, 'state' | 'message'> => ({
  document: side === null ? null : toView(side.view),
  balance: side === null ? null : fixed(side.balance),
  voided: side?.isVoided ?? false,
  changed_at: side?.changedAt ?? null,
  changed_by: side?.changedBy ?? null,
  applied: (side?.applied ?? []).map(({ type, id, number, datedOn, total, isVoided }) => ({
    type,
    id,
    number,
    date: datedOn,
    total: total === null ? null : fixed(total),
    voided: isVoided,
  })),
});
