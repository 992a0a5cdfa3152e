import { useEffect } from 'react';
import { submittableKinds } from '#core/kinds.ts';
import { Link } from '../../lib/router.tsx';
import type { AttentionDocument, AttentionGroupReply } from '#contract/attention.ts';
import { readBooks } from '#contract/quickbooks.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { showError, showMessage } from '../../lib/flash.ts';
import { useAction } from '../../lib/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { useClearStatus } from '../sync/use-clear-status.ts';
import { messageOf, useSubmit } from '../sync/use-submit.ts';
import { AccountChooser } from './account-chooser.tsx';
import { MapChooser } from './map-chooser.tsx';
import { CreateAs } from './mapping-choices.tsx';
import styles from './needs-attention.module.css';
import { readRepair, type KnownRepair } from './repairs.ts';
import { mendingWords } from './words.ts';

/**
 * Forms that mend a cause in place; nothing where only the services themselves can help.
 *
 * @param onReview receives the ids of tests that are to be reviewed
 * @param onFixed called when a mapping or a setting was saved
 */
export function Mending({
  repairs,
  documents,
  onReview,
  onFixed,
}: {
  repairs: AttentionGroupReply['repairs'];
  documents: readonly AttentionDocument[];
  onReview: (jobIds: readonly string[]) => void;
  onFixed: () => void;
}) {
  const known = repairs.flatMap((one) => readRepair(one) ?? []);
  if (known.length === 0) return null;
  return (
    <div className={styles.mending}>
      {known.map((repair) => (
        <Repair
          key={JSON.stringify(repair)}
          repair={repair}
          documents={documents}
          onReview={onReview}
          onFixed={onFixed}
        />
      ))}
    </div>
  );
}

function Repair({
  repair,
  documents,
  onReview,
  onFixed,
}: {
  repair: KnownRepair;
  documents: readonly AttentionDocument[];
  onReview: (jobIds: readonly string[]) => void;
  onFixed: () => void;
}) {
  switch (repair.do) {
    case 'map':
      return <MapChooser repair={repair} onSaved={onFixed} />;
    case 'create_as':
      return <CreateAs repair={repair} onSaved={onFixed} />;
    case 'choose_setting':
      return <AccountChooser settingKey={repair.key} onSaved={onFixed} />;
    case 'reconnect':
      return (
        <Button
          component={Link}
          to="/connections"
          variant="default"
          leftSection={<Icon name="connections" size={16} />}
        >
          {mendingWords.reconnect}
        </Button>
      );
    case 'clear_status':
      return <ClearStatus documents={documents} />;
    case 'refresh_lists':
      return <RefreshLists />;
    case 'update_books':
      return <UpdateBooks documents={documents} onReview={onReview} />;
    case 'open_in_service':
      return repair.url === undefined ? null : (
        <Button
          component="a"
          href={repair.url}
          target="_blank"
          rel="noreferrer"
          variant="default"
          leftSection={<Icon name="external" size={16} />}
        >
          {mendingWords.open(repair.what)}
        </Button>
      );
    default:
      return repair satisfies never;
  }
}

/** Empties the word or number in the PSA, so that the next sync takes the documents up again. */
function ClearStatus({ documents }: { documents: readonly AttentionDocument[] }) {
  const { clear, error, isPending } = useClearStatus();
  useEffect(() => {
    if (error !== null) showError(error);
  }, [error]);
  const run = async () => {
    for (const kind of submittableKinds) {
      const ids = documents.filter(({ type }) => type === kind).map(({ entityid }) => entityid);
      const cleared = ids.length === 0 ? 0 : await clear(kind, ids);
      if (cleared === null) return;
      if (cleared > 0) showMessage(mendingWords.cleared(cleared));
    }
  };
  return (
    <Button variant="default" loading={isPending} onClick={() => void run()}>
      {mendingWords.clear}
    </Button>
  );
}

/**
 * Plans to bring invoices in the books to what the PSA says, and opens the review: its last button changes them. Invoices
 * that were paid already are refused there with their reason.
 */
function UpdateBooks({
  documents,
  onReview,
}: {
  documents: readonly AttentionDocument[];
  onReview: (jobIds: readonly string[]) => void;
}) {
  const { accounting } = useEnvironment();
  const { submit, isPending } = useSubmit(true);
  // A payment that was looked at is about the invoice of the same id.
  const ids = [...new Set(documents.map(({ entityid }) => entityid))];
  const plan = () =>
    submit('invoice', ids, { mode: 'test', force: false, update: true }).then(
      ({ id }) => onReview([id]),
      (refusal: unknown) => showError(messageOf(refusal)),
    );
  return (
    <Button variant="default" loading={isPending} onClick={() => void plan()}>
      {mendingWords.update(accounting.label)}
    </Button>
  );
}

/** Reads the lists of the books anew, for what was just made there. */
function RefreshLists() {
  const refresh = useAction(readBooks, { onSuccess: () => showMessage(mendingWords.listsRead) });
  return (
    <Button
      variant="default"
      loading={refresh.isPending}
      leftSection={<Icon name="refresh" size={16} />}
      onClick={() => refresh.mutate({ query: { refresh: true } })}
    >
      {mendingWords.readLists}
    </Button>
  );
}
