import { Button, Modal } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import type { AttentionDocument, AttentionGroupReply } from '#contract/attention.ts';
import { clearSyncErrors } from '#contract/psa.ts';
import { readBooks } from '#contract/quickbooks.ts';
import { submitInvoices } from '#contract/sync.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { showMessage } from '../../lib/flash.ts';
import { noteJob } from '../../lib/follow-job.ts';
import { useAction } from '../../lib/queries.ts';
import { DialogForm } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { psaEntities } from '../sync/documents.ts';
import { AccountChooser } from './account-chooser.tsx';
import { MapChooser } from './map-chooser.tsx';
import styles from './needs-attention.module.css';
import { readRepair, type KnownRepair } from './repairs.ts';

/** What mends a cause, done in place; nothing where only the services themselves can help. */
export function Mending({
  repairs,
  documents,
}: {
  repairs: AttentionGroupReply['repairs'];
  documents: readonly AttentionDocument[];
}) {
  const known = repairs.flatMap((one) => readRepair(one) ?? []);
  if (known.length === 0) return null;
  return (
    <div className={styles.mending}>
      {known.map((repair) => (
        <Repair key={JSON.stringify(repair)} repair={repair} documents={documents} />
      ))}
    </div>
  );
}

function Repair({ repair, documents }: { repair: KnownRepair; documents: readonly AttentionDocument[] }) {
  switch (repair.do) {
    case 'map':
      return <MapChooser repair={repair} />;
    case 'choose_setting':
      return <AccountChooser settingKey={repair.key} />;
    case 'reconnect':
      return (
        <Button
          component={Link}
          to="/connections"
          variant="default"
          leftSection={<Icon name="connections" size={16} />}
        >
          Connect again
        </Button>
      );
    case 'clear_status':
      return <ClearStatus documents={documents} />;
    case 'refresh_lists':
      return <RefreshLists />;
    case 'update_books':
      return <UpdateBooks documents={documents} />;
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
          Open {repair.what}
        </Button>
      );
    default:
      return repair satisfies never;
  }
}

/** Empties the word or number in the PSA, so that the next sync takes the documents up again. */
function ClearStatus({ documents }: { documents: readonly AttentionDocument[] }) {
  const clear = useAction(clearSyncErrors, {
    changes: ['attention', 'psa'],
    onSuccess: ({ cleared }) => showMessage(`Cleared: ${cleared.length}. The next sync takes them up again.`),
  });
  const run = () => {
    for (const [type, { entity }] of Object.entries(psaEntities)) {
      const ids = documents.filter((one) => one.type === type).map(({ entityid }) => entityid);
      if (ids.length > 0) clear.mutate({ params: { entity }, body: { ids } });
    }
  };
  return (
    <Button variant="default" loading={clear.isPending} onClick={run}>
      Clear Sync Status
    </Button>
  );
}

/** Brings invoices in the books to what the PSA says, live; what was paid already is refused with its reason. */
function UpdateBooks({ documents }: { documents: readonly AttentionDocument[] }) {
  const { accounting, psa } = useEnvironment();
  const [isAsked, setIsAsked] = useState(false);
  const [refusal, setRefusal] = useState<Error | null>(null);
  const update = useAction(submitInvoices, {
    changes: ['attention', 'closes'],
    onError: setRefusal,
    onSuccess: ({ job }) => {
      noteJob(job);
      setIsAsked(false);
    },
  });
  // A payment that was looked at is about the invoice of the same id.
  const ids = [...new Set(documents.map(({ entityid }) => entityid))];
  const what = ids.length === 1 ? 'it' : `${ids.length} invoices`;
  return (
    <>
      <Button variant="default" onClick={() => setIsAsked(true)}>
        {`Update ${accounting.label}`}
      </Button>
      <Modal opened={isAsked} onClose={() => setIsAsked(false)} title={`Update ${accounting.label}`} size={460}>
        <DialogForm
          submitLabel={`Update ${what} in ${accounting.label}`}
          isBusy={update.isPending}
          error={refusal?.message ?? null}
          onSubmit={() => {
            setRefusal(null);
            update.mutate({ body: { mode: 'live', update: true, invoice_ids: ids } });
          }}
          onCancel={() => setIsAsked(false)}
        >
          <p>{`The document in ${accounting.label} becomes what ${psa.label} says, whole: what was changed by hand there is lost. Nothing is changed that was paid in part, or that is dated in closed books.`}</p>
        </DialogForm>
      </Modal>
    </>
  );
}

/** Reads the lists of the books anew, for what was just made there. */
function RefreshLists() {
  const refresh = useAction(readBooks, { onSuccess: () => showMessage('The lists are up to date.') });
  return (
    <Button
      variant="default"
      loading={refresh.isPending}
      leftSection={<Icon name="refresh" size={16} />}
      onClick={() => refresh.mutate({ query: { refresh: true } })}
    >
      Read the lists anew
    </Button>
  );
}
