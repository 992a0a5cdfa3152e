import { Radio } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { kinds, type Mode } from '#core/kinds.ts';
import { submitAll } from '#contract/sync.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { noteJob } from '../../lib/follow-job.ts';
import { useAction } from '../../lib/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Modal } from '../../ui/modal.tsx';
import styles from './sync-screen.module.css';
import { followUpWords, syncWords } from './words.ts';

type FollowUp = 'payment' | 'void';

/**
 * Payments and voids of invoices that were synced: what is due now is looked up and planned as a test, and reviewed
 * before anything of it is sent.
 *
 * @param onSubmitted receives the id of the test, and whether it is to be reviewed
 */
export function FollowUpsDialog({
  isOpen,
  onClose,
  onSubmitted,
}: {
  isOpen: boolean;
  onClose: () => void;
  onSubmitted: (jobId: string, mode: Mode) => void;
}) {
  const { psa, accounting, voids_enabled: hasVoids } = useEnvironment();
  const [kind, setKind] = useState<FollowUp>('payment');
  const [mode, setMode] = useState<Mode>('test');
  const submit = useAction(submitAll, {
    onSuccess: ({ job }) => {
      noteJob(job);
      onSubmitted(job.id, mode);
    },
    onError: () => undefined,
    showsMessage: () => mode !== 'live',
  });
  const send = (asked: Mode) => {
    setMode(asked);
    submit.mutate({ params: { kind: kinds[kind].segment }, body: { mode: 'test' } });
  };
  return (
    <Modal opened={isOpen} onClose={onClose} title={followUpWords.title} size={520}>
      <form
        className={styles.dialog}
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          send('live');
        }}
      >
        <Radio.Group
          label={followUpWords.due}
          value={kind}
          onChange={(value) => setKind(value === 'void' ? 'void' : 'payment')}
        >
          <div className={styles.choices}>
            <Radio
              value="payment"
              label={followUpWords.payments}
              description={followUpWords.paymentsHint(psa.label, accounting.short_label)}
            />
            <Radio
              value="void"
              label={followUpWords.voids}
              disabled={!hasVoids}
              description={hasVoids ? followUpWords.voidsHint(psa.label) : followUpWords.voidsOff}
            />
          </div>
        </Radio.Group>
        {submit.error !== null && (
          <Notice tone="bad" role="alert">
            {submit.error.message}
          </Notice>
        )}
        <div className={styles.actions} data-end>
          <Button variant="default" onClick={onClose}>
            {syncWords.cancel}
          </Button>
          <Button variant="outline" color="test" loading={submit.isPending} onClick={() => send('test')}>
            {followUpWords.test(kind)}
          </Button>
          <Button type="submit" loading={submit.isPending}>
            {followUpWords.review(kind)}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
