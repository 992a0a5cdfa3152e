import { closeHeadReply, closeReply, decisionReply, signatureReply, type CloseReply } from '#contract/closes.ts';
import type { CloseDecision } from '#core/records/closes.ts';
import { checklistOf } from '#core/reconciliation/checklist.ts';
import { exceptionsOf, type CloseChange, type Exception } from '#core/reconciliation/close.ts';
import type { Bridge, DocumentRow } from '#core/reconciliation/completeness.ts';
import { decimal } from '#core/values/decimal.ts';
import { differenceClasses } from '#core/reconciliation/difference-classes.ts';
import { lastDay, month as toMonth } from '#core/reconciliation/month.ts';
import { openPointsOf, undecidedOf } from '#core/reconciliation/undecided.ts';
import { holds, type TieOut } from '#core/reconciliation/tie-out.ts';
import { actorOf } from '#flows/access/principal.ts';
import { isAdmitted } from '#flows/access/throttle.ts';
import { bundleOf } from '#flows/close/files/bundle.ts';
import { readRecentTime } from '#flows/close/last-run.ts';
import { beginPreparation, endPreparation } from '#flows/close/prepare.ts';
import { listMonths, readMonth, readProof, type CloseSummary, type CloseView } from '#flows/close/read.ts';
import { decideMany } from '#flows/close/decide-many.ts';
import { settleException } from '#flows/close/settle.ts';
import { decide, signMonth } from '#flows/close/sign.ts';
import { afterResponse } from '../after-response.ts';
import { serve, serveRaw, type Frozen, type Serving } from '../serve.ts';
import { toWire } from '../to-wire.ts';
import { toJobReply } from './wire.ts';

/** Preparations of one client in 15 minutes, after which each month is refreshed at most once in {@link pauseSeconds}. */
const maxPreparations = 40;
const pauseSeconds = 60;

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
    if (!(await isAdmitted(app, [{ key: `prepare ${context.tenantId}`, limit: maxPreparations }]))) {
      const readAt = await readRecentTime(context, month, pauseSeconds);
      if (readAt !== null)
        return {
          data: null,
          message: `This month was read at ${readAt}. After many refreshes, each month is read once a minute.`,
        };
    }
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
    return { data: { signature: toWire(signatureReply, signature) } };
  });

  serve(serving, 'decideException', async ({ context, principal, params, body }) => ({
    data: { decision: toWire(decisionReply, await decide(context, principal, toMonth(params.month), body)) },
  }));

  serve(serving, 'decideExceptions', async ({ context, principal, params, body }) => {
    const { decided, left, message } = await decideMany(context, principal, toMonth(params.month), {
      ...body,
      differences: body.differences.map((one) => ({ ...one, amount: decimal(one.amount) })),
    });
    const data = {
      decided: decided.map(({ key }) => key),
      left: left.map(({ decision, ...one }) => ({ ...one, decision: decision && toWire(decisionReply, decision) })),
    };
    return { data, message };
  });

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

const toHead = ({ newest, ...close }: CloseSummary) => toWire(closeHeadReply, { ...newest, ...close });

function toCloseReply(view: CloseView, withRows: boolean): Frozen<CloseReply> {
  const { month, close, changes, closedThrough } = view;
  const decisions = [...view.decisions.values()];
  return toWire(closeReply, {
    ...view,
    id: close?.id ?? null,
    sha256: close?.sha256 ?? null,
    preparedAt: close?.preparedAt ?? null,
    preparedBy: close?.preparedBy ?? null,
    totals: close?.totals ?? [],
    bridges: close?.proof.bridges.map(withLabels) ?? [],
    tieOuts: close?.proof.tieOuts.map(toTieOut) ?? [],
    // A decision is valid only while the amount is unchanged.
    exceptions:
      close === null ? [] : exceptionsOf(close.proof).map((one) => toException(one, view.decisions.get(one.key))),
    carried: view.carried.map(({ month: from, exception, decision }) => ({
      ...toException(exception, decision),
      month: from,
    })),
    changes: changes.map((one) => ({ ...one, before: toSides(one.before), after: toSides(one.after) })),
    undecided: close === null ? [] : undecidedOf(close.proof, decisions),
    obstacles: close === null ? [] : openPointsOf(close.proof, decisions),
    checklist: close === null ? [] : checklistOf(close.proof),
    twoPeople: view.areTwoPeople,
    accountingClosed: closedThrough !== null && closedThrough >= lastDay(month),
    rows: close === null || !withRows ? null : close.proof.rows.map(toRow),
  });
}

const toSides = (sides: CloseChange['before']) => sides && { psa: sides.psaAmount, accounting: sides.accountingAmount };

const withLabels = ({ classes, ...bridge }: Bridge) => ({
  ...bridge,
  classes: classes.map((one) => ({ ...one, label: differenceClasses[one.class].label })),
});

const toTieOut = (tieOut: TieOut) => ({
  ...tieOut,
  holds: holds(tieOut),
  rows: tieOut.rows.map((row) => ({ ...row, note: row.note ?? null })),
});

const toException = (one: Exception, decided: CloseDecision | undefined) => ({
  ...one,
  label: one.class === 'unexplained' ? 'Unexplained' : differenceClasses[one.class].label,
  decision: decided !== undefined && decided.amount === one.amount ? decided : null,
});

const toRow = ({ psa, accounting, ...row }: DocumentRow) => ({
  ...row,
  psaId: psa?.id ?? null,
  psaNumber: psa?.number ?? null,
  company: psa?.party.name ?? null,
  psaDate: psa?.datedOn ?? null,
  psaTotal: psa?.total ?? null,
  accountingType: accounting?.type ?? null,
  accountingId: accounting?.id ?? null,
  accountingNumber: accounting?.number ?? null,
  accountingCustomer: accounting?.party.name ?? null,
  accountingDate: accounting?.datedOn ?? null,
  accountingTotal: accounting?.total ?? null,
});
