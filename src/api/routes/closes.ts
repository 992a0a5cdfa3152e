import type { CloseReply } from '#contract/closes.ts';
import type { CloseDecision } from '#core/ports/closes.ts';
import { checklistOf } from '#core/reconciliation/checklist.ts';
import { exceptionsOf, type Exception, type Proof, type Signature } from '#core/reconciliation/close.ts';
import type { DocumentRow } from '#core/reconciliation/completeness.ts';
import { differenceClasses } from '#core/reconciliation/difference-classes.ts';
import { lastDay, month as toMonth } from '#core/reconciliation/month.ts';
import { openPointsOf, undecidedOf } from '#core/reconciliation/undecided.ts';
import { holds } from '#core/reconciliation/tie-out.ts';
import { actorOf } from '#flows/access/principal.ts';
import { throttle } from '#flows/access/throttle.ts';
import { bundleOf } from '#flows/close/files/bundle.ts';
import { beginPreparation, endPreparation } from '#flows/close/prepare.ts';
import { listMonths, readMonth, readProof, type CloseSummary, type CloseView } from '#flows/close/read.ts';
import { settleException } from '#flows/close/settle.ts';
import { decide, signMonth } from '#flows/close/sign.ts';
import { afterResponse } from '../after-response.ts';
import { serve, serveRaw, type Serving } from '../serve.ts';
import { toJobReply } from './wire.ts';

/** Maximum preparations of one client in 15 minutes. */
const maxPreparations = 40;

export function closeRoutes(serving: Serving): void {
  const { app } = serving;
  const after = afterResponse(serving.server, app);

  serve(serving, 'listCloses', async ({ context, query }) => ({
    data: { closes: (await listMonths(context, query.months)).map(toHead) },
  }));

  serve(serving, 'readClose', async ({ context, principal, params, query }) => {
    const view = await readMonth(context, toMonth(params.month), principal.username);
    return { data: { close: toCloseReply(view, query.rows === true) } };
  });

  serve(serving, 'prepareClose', async ({ context, principal, params, reply }) => {
    const month = toMonth(params.month);
    await throttle(app, [{ key: `prepare ${context.tenantId}`, limit: maxPreparations }]);
    await beginPreparation(context, month);
    after(reply, 'prepare a month', async () => {
      // No user waits for this, so it waits for slow services as long as a job does.
      await endPreparation(app.forTenant(context.tenantId), month, actorOf(principal), app.config.version);
    });
    return { data: null };
  });

  serve(serving, 'signClose', async ({ context, principal, params, body }) => {
    const signature = await signMonth(context, principal, toMonth(params.month), {
      closeId: body.close_id,
      as: body.as,
      checked: body.checked,
      reason: body.reason ?? null,
    });
    return { data: { signature: toSignature(signature) } };
  });

  serve(serving, 'decideException', async ({ context, principal, params, body }) => ({
    data: { decision: toDecision(await decide(context, principal, toMonth(params.month), body)) },
  }));

  serve(serving, 'settleException', async ({ context, principal, params, body: { reviewed, ...body } }) => {
    const request = { ...body, ...(reviewed !== undefined && { reviewed }) };
    return { data: { job: toJobReply(await settleException(context, principal, toMonth(params.month), request)) } };
  });

  serveRaw(serving, 'downloadClose', async ({ context, principal, params, query, reply }) => {
    const proof = await readProof(context, toMonth(params.month), principal.username, query.close_id);
    const { fileName, content } = await bundleOf(proof);
    return reply
      .type('application/zip')
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .send(content);
  });
}

const toTotals = (totals: CloseSummary['newest']['totals']) =>
  totals.map((one) => ({
    currency: one.currency,
    psa_total: one.psaTotal,
    books_total: one.booksTotal,
    difference: one.difference,
    explained: one.explained,
    unexplained: one.unexplained,
  }));

const toSignature = ({ as, by, at, reason }: Signature) => ({ as, by, at, reason });
const toDecision = ({ decision, reason, by, at }: CloseDecision) => ({ decision, reason, by, at });

const toHead = ({ month, state, newest, signatures }: CloseSummary) => ({
  month,
  state,
  prepared_at: newest.preparedAt,
  prepared_by: newest.preparedBy,
  totals: toTotals(newest.totals),
  signatures: signatures.map(toSignature),
});

function toCloseReply(view: CloseView, withRows: boolean): CloseReply {
  const { month, state, close, signatures, changes, isPreparing, problem, maySignAs } = view;
  const undecided = close === null ? [] : undecidedOf(close.proof, view.decisions.values());
  return {
    month,
    state,
    id: close?.id ?? null,
    sha256: close?.sha256 ?? null,
    prepared_at: close?.preparedAt ?? null,
    prepared_by: close?.preparedBy ?? null,
    totals: close === null ? [] : toTotals(close.totals),
    signatures: signatures.map(toSignature),
    is_preparing: isPreparing,
    problem,
    bridges: close === null ? [] : toBridges(close.proof),
    tie_outs: close === null ? [] : toTieOuts(close.proof),
    exceptions: close === null ? [] : toExceptions(close.proof, view.decisions),
    carried: view.carried.map(({ month: from, exception, decision }) => ({
      ...toException(exception, decision),
      month: from,
    })),
    changes: changes.map(({ before, after, details, ...one }) => ({
      key: one.key,
      kind: one.kind,
      label: one.label,
      currency: one.currency,
      before: before === null ? null : { psa: before.psaAmount, books: before.booksAmount },
      after: after === null ? null : { psa: after.psaAmount, books: after.booksAmount },
      details: [...details],
    })),
    undecided: undecided.map((one) => ({ ...one })),
    obstacles: close === null ? [] : openPointsOf(close.proof, view.decisions.values()).map((one) => ({ ...one })),
    checklist: close === null ? [] : checklistOf(close.proof).map((one) => ({ ...one })),
    may_sign_as: [...maySignAs],
    two_people: view.areTwoPeople,
    books_closed: view.closedThrough !== null && view.closedThrough >= lastDay(month),
    rows: close === null || !withRows ? null : close.proof.rows.map(toRow),
  };
}

const toBridges = ({ bridges }: Proof): CloseReply['bridges'] =>
  bridges.map((one) => ({
    kind: one.kind,
    currency: one.currency,
    psa_count: one.psaCount,
    psa_total: one.psaTotal,
    books_count: one.booksCount,
    books_total: one.booksTotal,
    books_tax: one.booksTax,
    difference: one.difference,
    explained: one.explained,
    unexplained: one.unexplained,
    matched: one.matched,
    classes: one.classes.map(({ class: of, count, amount }) => ({
      class: of,
      label: differenceClasses[of].label,
      count,
      amount,
    })),
  }));

const toTieOuts = ({ tieOuts }: Proof): CloseReply['tie_outs'] =>
  tieOuts.map((one) => ({
    name: one.name,
    label: one.label,
    left_label: one.leftLabel,
    right_label: one.rightLabel,
    left: one.left,
    right: one.right,
    difference: one.difference,
    must_be_zero: one.mustBeZero,
    holds: holds(one),
    rows: one.rows.map(({ label, left, right, note }) => ({ label, left, right, note: note ?? null })),
  }));

/** A decision is valid only while the amount is unchanged. */
const toExceptions = (proof: Proof, decisions: CloseView['decisions']): CloseReply['exceptions'] =>
  exceptionsOf(proof).map((one) => toException(one, decisions.get(one.key)));

const toException = (one: Exception, decided: CloseDecision | undefined): CloseReply['exceptions'][number] => ({
  key: one.key,
  kind: one.kind,
  class: one.class,
  label: one.class === 'unexplained' ? 'Unexplained' : differenceClasses[one.class].label,
  psa_id: one.psaId,
  number: one.number,
  party: one.party,
  books: one.books === null ? null : { ...one.books },
  currency: one.currency,
  amount: one.amount,
  since: one.since,
  by: one.by,
  actions: [...one.actions],
  decision: decided !== undefined && decided.amount === one.amount ? toDecision(decided) : null,
});

const toRow = ({ kind, currency, psa, books, difference, unexplained, findings }: DocumentRow) => ({
  kind,
  currency,
  psa_id: psa?.id ?? null,
  psa_number: psa?.number ?? null,
  company: psa?.party.name ?? null,
  psa_date: psa?.datedOn ?? null,
  psa_total: psa?.total ?? null,
  books_type: books?.type ?? null,
  books_id: books?.id ?? null,
  books_number: books?.number ?? null,
  books_customer: books?.party.name ?? null,
  books_date: books?.datedOn ?? null,
  books_total: books?.total ?? null,
  difference,
  unexplained,
  findings: findings.map((one) => ({ ...one })),
});
