import { Button, Group } from '@mantine/core';
import { submittableKinds } from '#core/kinds.ts';
import type { Side } from '#core/planning/update-merge.ts';
import type { PaymentChoice } from '#core/planning/payment-choice.ts';
import { Link } from 'react-router';
import type { AttentionDocument, AttentionGroupReply } from '#contract/attention.ts';
import { readAccounting } from '#contract/calls/quickbooks.ts';
import { useEnvironment } from '../../data/environment.ts';
import { showError, showSuccess } from '../../components/flash.ts';
import { useAction } from '../../data/queries.ts';
import { Icon } from '../../components/icons.tsx';
import { useClearStatus } from '../sync/use-clear-status.ts';
import { messageOf, useSubmit } from '../sync/use-submit.ts';
import { AccountChooser } from './account-chooser.tsx';
import { MapChooser } from './map-chooser.tsx';
import { CreateAs } from './mapping-choices.tsx';
import styles from './needs-attention.module.css';
import { readRepair, type KnownRepair } from './repairs.ts';
import { countOf } from '../../data/format.ts';

interface RepairActionsProps {
  repairs: AttentionGroupReply['repairs'];
  documents: readonly AttentionDocument[];
  isFixed: boolean;
  onReview: (jobIds: readonly string[]) => void;
  onFixed: () => void;
}

/**
 * Forms and buttons that fix a cause here. Renders nothing if it can be fixed only in one of the services.
 *
 * @param isFixed the cause is fixed, so no fix is the primary button
 * @param onReview receives the ids of the test jobs to review before posting
 * @param onFixed called after a mapping or a setting is saved
 */
export function RepairActions({ repairs, isFixed, ...rest }: RepairActionsProps) {
  const known = repairs.flatMap((one) => readRepair(one) ?? []);
  if (known.length === 0) return null;
  return (
    <Group gap={12} align="flex-end" pr="md" pt={4} pb={12} className={styles.inset ?? ''}>
      {known.map((repair, index) => (
        <Repair
          key={JSON.stringify(repair)}
          repair={repair}
          variant={index === 0 && !isFixed ? 'filled' : 'default'}
          {...rest}
        />
      ))}
    </Group>
  );
}

type Variant = 'filled' | 'default';

function Repair({
  repair,
  variant,
  documents,
  onReview,
  onFixed,
}: Omit<RepairActionsProps, 'repairs' | 'isFixed'> & { repair: KnownRepair; variant: Variant }) {
  switch (repair.do) {
    case 'map':
      return <MapChooser repair={repair} variant={variant} onSaved={onFixed} />;
    case 'create_as':
      return <CreateAs repair={repair} variant={variant} onSaved={onFixed} />;
    case 'choose_setting':
      return <AccountChooser settingKey={repair.key} variant={variant} onSaved={onFixed} />;
    case 'reconnect':
      return (
        <Button
          component={Link}
          to="/connections"
          variant={variant}
          leftSection={<Icon name="connections" size={16} />}
        >
          Reconnect
        </Button>
      );
    case 'clear_status':
      return <ClearStatus documents={documents} variant={variant} />;
    case 'refresh_lists':
      return <RefreshLists variant={variant} />;
    case 'update_accounting':
      return <UpdateAccounting {...{ documents, variant, onReview }} prefers={repair.prefers} />;
    case 'apply_money':
      return <DecidePayment choice="apply" {...{ documents, variant, onReview }} />;
    case 'create_payment':
      return <DecidePayment choice="create" {...{ documents, variant, onReview }} />;
    case 'open_in_service':
      return repair.url === undefined ? null : (
        <Button
          component="a"
          href={repair.url}
          target="_blank"
          rel="noreferrer"
          variant={variant}
          leftSection={<Icon name="external" size={16} />}
        >
          Open {repair.what}
        </Button>
      );
    default:
      return repair satisfies never;
  }
}

/** Clears the sync status in the PSA, so that the next sync picks up the documents again. */
function ClearStatus({ documents, variant }: { documents: readonly AttentionDocument[]; variant: Variant }) {
  const { clear, isPending } = useClearStatus(showError);
  const run = async () => {
    for (const kind of submittableKinds) {
      const ids = documents.filter(({ type }) => type === kind).map(({ entityid }) => entityid);
      const cleared = ids.length === 0 ? 0 : await clear(kind, ids);
      if (cleared === null) return;
      if (cleared > 0)
        showSuccess(`Sync status cleared for ${countOf(cleared, 'document')}. The next sync tries again.`);
    }
  };
  return (
    <Button variant={variant} loading={isPending} onClick={() => void run()}>
      Clear Sync Status
    </Button>
  );
}

/**
 * Plans an update of the documents in QuickBooks to match the PSA, then opens the review, where the user posts it. The
 * review rejects paid documents with a reason.
 *
 * @param prefers whose value fields get that both sides changed; null: the review asks
 */
function UpdateAccounting({
  documents,
  prefers,
  variant,
  onReview,
}: {
  documents: readonly AttentionDocument[];
  variant: Variant;
  prefers: Side | null;
  onReview: (jobIds: readonly string[]) => void;
}) {
  const { accounting, psa } = useEnvironment();
  const { submit, isPending } = useSubmit(true);
  const how = { mode: 'test', force: false, update: true, ...(prefers !== null && { prefers }) } as const;
  const plan = async () => {
    const jobs: string[] = [];
    for (const [kind, of] of Map.groupBy(documents, updatedKind)) {
      const ids = [...new Set(of.map(({ entityid }) => entityid))];
      jobs.push((await submit(kind, ids, how)).id);
    }
    onReview(jobs);
  };
  const labels = { psa: `Use ${psa.label} values`, accounting: `Keep ${accounting.label} values` };
  return (
    <Button
      variant={variant}
      loading={isPending}
      onClick={() => void plan().catch((error: unknown) => showError(messageOf(error)))}
    >
      {prefers === null
        ? documents.some(({ fields }) => fields.length > 0)
          ? 'Choose for each field'
          : `Update ${accounting.label}`
        : labels[prefers]}
    </Button>
  );
}

/** A payment has the id of its invoice, which is updated. */
const updatedKind = ({ type }: AttentionDocument) => submittableKinds.find((kind) => kind === type) ?? 'invoice';
const choiceLabels = { apply: 'Apply what is there', create: 'Create a new payment' } as const;

/** Plans payments with a decision about unapplied money of the customers, then opens the review. */
function DecidePayment({
  choice,
  documents,
  variant,
  onReview,
}: {
  choice: PaymentChoice;
  variant: Variant;
  documents: readonly AttentionDocument[];
  onReview: (jobIds: readonly string[]) => void;
}) {
  const { submit, isPending } = useSubmit(true);
  const ids = documents.map(({ entityid }) => entityid);
  const plan = () =>
    submit('payment', ids, { mode: 'test', force: false, choice }).then(
      ({ id }) => onReview([id]),
      (error: unknown) => showError(messageOf(error)),
    );
  return (
    <Button variant={variant} loading={isPending} onClick={() => void plan()}>
      {choiceLabels[choice]}
    </Button>
  );
}

/** Refreshes the lists from QuickBooks, so that records created there are found. */
function RefreshLists({ variant }: { variant: Variant }) {
  const refresh = useAction(readAccounting, { onSuccess: () => showSuccess('The lists are up to date.') });
  return (
    <Button
      variant={variant}
      loading={refresh.isPending}
      leftSection={<Icon name="refresh" size={16} />}
      onClick={() => refresh.mutate({ query: { refresh: true } })}
    >
      Refresh lists
    </Button>
  );
}
