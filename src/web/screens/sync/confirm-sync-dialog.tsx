import { Radio } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type Mode, type SubmittableKind } from '#core/kinds.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { showMessage } from '../../lib/flash.ts';
import { ModeBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Modal } from '../../ui/modal.tsx';
import type { Row } from './columns.tsx';
import { sumOfRows } from './sums.ts';
import { messageOf, useSubmit } from './use-submit.ts';
import styles from './sync-screen.module.css';
import { confirmWords, syncWords } from './words.ts';

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
  onSubmitted: (jobId: string, mode: Mode) => void;
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
          {confirmWords.title} <ModeBadge mode={shown.mode} />
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
  onSubmitted: (jobId: string, mode: Mode) => void;
}) {
  const { psa, accounting } = useEnvironment();
  const [force, setForce] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const isLive = mode === 'live';
  const { submit, isPending } = useSubmit(isLive);
  const isForced = isLive && force;
  const sum = sumOfRows(rows);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (rows.length === 0) {
      onClose();
      showMessage(syncWords.nothingSelected);
      return;
    }
    setError(null);
    const ids = rows.map(({ id }) => id);
    // A live sync is planned first, as a test does, and looked at as a whole.
    submit(kind, ids, { mode: 'test', force: isForced }).then(
      ({ id }) => onSubmitted(id, mode),
      (refusal: unknown) => setError(messageOf(refusal)),
    );
  };
  return (
    <form className={styles.dialog} onSubmit={send}>
      <p>{confirmWords.ask(kind, rows.length, isLive)}</p>
      <p>
        {sum !== '' && (
          <>
            {confirmWords.sum[0]} <span className={styles.sum}>{sum}</span>
            {confirmWords.sum[1]}{' '}
          </>
        )}
        {isLive ? confirmWords.live(accounting.short_label) : confirmWords.test}
      </p>
      {isLive && (
        <Radio.Group
          label={confirmWords.ifSynced}
          value={force ? 'again' : 'skip'}
          onChange={(value) => setForce(value === 'again')}
        >
          <div className={styles.choices}>
            <Radio value="skip" label={confirmWords.skip} />
            <Radio value="again" label={confirmWords.again} color="red" />
          </div>
        </Radio.Group>
      )}
      {isForced && <Notice tone="bad">{confirmWords.warning(kind, accounting.label, psa.label)}</Notice>}
      {error !== null && (
        <Notice tone="bad" role="alert">
          {error}
        </Notice>
      )}
      <div className={styles.actions} data-end>
        <Button variant="default" onClick={onClose} data-autofocus>
          {syncWords.cancel}
        </Button>
        {isLive ? (
          <Button type="submit" color={isForced ? 'red' : 'accent'} loading={isPending}>
            {confirmWords.submit(kind, rows.length, sum, isForced ? 'again' : 'review')}
          </Button>
        ) : (
          <Button type="submit" variant="outline" color="test" loading={isPending}>
            {confirmWords.submit(kind, rows.length, sum, 'test')}
          </Button>
        )}
      </div>
    </form>
  );
}
