import { month as toMonth } from '#core/reconciliation/month.ts';
import { Refusal } from '#core/refusal.ts';
import { ask, listAskable, type Request } from '#flows/notices/ask.ts';
import { serve, type Serving } from '../serve.ts';

export function requestRoutes(serving: Serving): void {
  serve(serving, 'listAskable', async ({ context, principal, query }) => ({
    data: { users: await listAskable(context, principal, requestOf(query)) },
  }));

  serve(serving, 'askUsers', async ({ context, principal, body }) => ({
    data: { asked: await ask(context, principal, requestOf(body), body.to ?? null) },
  }));
}

/** @throws Refusal `validation_failed` (422) for a signature without a month. */
function requestOf(input: { readonly for: Request['for']; readonly month?: string | undefined }): Request {
  if (input.for === 'approval') return { for: 'approval' };
  if (input.month === undefined)
    throw new Refusal('unprocessable', 'validation_failed', 'Enter the month to sign.', [
      { key: 'month', error: 'Enter the month to sign.' },
    ]);
  return { for: 'signature', month: toMonth(input.month) };
}
