import { Button, Modal, Radio } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { kinds, type Mode, type SubmittableKind } from '#core/kinds.ts';
import { submitExpenseReports, submitInvoices, submitPurchaseOrders } from '#contract/sync.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { noteJob } from '../../lib/follow-job.ts';
import { countOf, setSums, sumsByCurrency } from '../../lib/format.ts';
import { showMessage } from '../../lib/flash.ts';
import { useAction } from '../../lib/queries.ts';
import { ModeBadge } from '../../ui/badge.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { Row } from './columns.tsx';
import styles from './sync-screen.module.css';

/**
 * Asks before chosen documents are synced; the last button says mode, count and money.
 *
 * @param mode null keeps the dialog closed.
 * @param onSubmitted receives the id of the job.
 */
export function ConfirmSyncDialog({
  kind,
  mode,
  rows,
  onClose,
  onSubmitted,
}: {
  kind: SubmittableKind;
  mode: Mode | null;
  rows: readonly Row[];
  onClose: () => void;
  onSubmitted: (jobId: string) => void;
}) {
  // While the dialog closes it still shows what it was about.
  const [shown, setShown] = useState<{ mode: Mode; rows: readonly Row[] }>({ mode: 'test', rows: [] });
  if (mode !== null && (mode !== shown.mode || (rows !== shown.rows && rows.length > 0))) setShown({ mode, rows });
  return (
    <Modal
      opened={mode !== null}
      onClose={onClose}
      title={
        <span className={styles.status}>
          Confirm Sync <ModeBadge mode={shown.mode} />
        </span>
      }
      size={520}
    >
      <Form key={mode} kind={kind} mode={shown.mode} rows={shown.rows} onClose={onClose} onSubmitted={onSubmitted} />
    </Modal>
  );
}

function Form({
  kind,
  mode,
  rows,
  onClose,
  onSubmitted,
}: {
  kind: SubmittableKind;
  mode: Mode;
  rows: readonly Row[];
  onClose: () => void;
  onSubmitted: (jobId: string) => void;
}) {
  const { psa, accounting } = useEnvironment();
  const [force, setForce] = useState(false);
  const { submit, isPending, error } = useSubmit(kind, onSubmitted);

  const isLive = mode === 'live';
  const isForced = isLive && force;
  const noun = kinds[kind].label.toLowerCase();
  const count = countOf(rows.length, noun);
  const sum = setSums(sumsByCurrency(rows.map(({ total }) => ({ amount: total, currency: 'USD' }))));
  const money = sum === '' ? '' : `, ${sum},`;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (rows.length === 0) {
      onClose();
      showMessage('Nothing is selected.');
      return;
    }
    submit(
      rows.map(({ id }) => id),
      { mode, force: isForced },
    );
  };
  return (
    <form className={styles.dialog} onSubmit={send}>
      <p>
        Please confirm you want to {isLive ? 'sync' : 'test sync'} these {count}.
      </p>
      <p>
        {sum !== '' && (
          <>
            Together they come to <span className={styles.sum}>{sum}</span>.{' '}
          </>
        )}
        {isLive
          ? `They are posted to ${accounting.short_label}, and ${psa.label} is told their numbers.`
          : 'A simulation. Nothing is sent, neither service is changed; the logs show what would be posted.'}
      </p>
      {isLive && (
        <Radio.Group
          label="If already synced..."
          value={force ? 'again' : 'skip'}
          onChange={(value) => setForce(value === 'again')}
        >
          <div className={styles.choices}>
            <Radio value="skip" label="Do not process." />
            <Radio value="again" label="Sync it again." color="red" />
          </div>
        </Radio.Group>
      )}
      {isForced && (
        <Notice tone="bad">
          Each {noun} that is already synced gets another document in {accounting.label}, and the former reference
          number in {psa.label} is overwritten.
        </Notice>
      )}
      {error !== null && (
        <Notice tone="bad" role="alert">
          {error.message}
        </Notice>
      )}
      <div className={styles.actions} data-end>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        {isLive ? (
          <Button type="submit" color={isForced ? 'red' : 'accent'} loading={isPending}>
            Post {count}
            {money === '' ? ' ' : `${money} `}to {accounting.short_label}
            {isForced ? ' again' : ''}
          </Button>
        ) : (
          <Button type="submit" variant="outline" color="test" loading={isPending}>
            TEST {count}
            {sum === '' ? '' : `, ${sum}`}
          </Button>
        )}
      </div>
    </form>
  );
}

/** Each kind has its own call and its own name for the ids. */
function useSubmit(kind: SubmittableKind, onSubmitted: (jobId: string) => void) {
  const options = {
    onSuccess: ({ job }: { readonly job: Parameters<typeof noteJob>[0] }) => {
      noteJob(job);
      onSubmitted(job.id);
    },
    onError: () => undefined,
  };
  const invoices = useAction(submitInvoices, options);
  const orders = useAction(submitPurchaseOrders, options);
  const reports = useAction(submitExpenseReports, options);
  const { isPending, error } = { invoice: invoices, purchase_order: orders, expense_report: reports }[kind];
  const submit = (ids: number[], how: { readonly mode: Mode; readonly force: boolean }) => {
    if (kind === 'invoice') invoices.mutate({ body: { ...how, invoice_ids: ids } });
    else if (kind === 'purchase_order') orders.mutate({ body: { ...how, po_ids: ids } });
    else reports.mutate({ body: { ...how, expense_report_ids: ids } });
  };
  return { submit, isPending, error };
}
