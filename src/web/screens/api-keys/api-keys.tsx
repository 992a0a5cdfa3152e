import { Anchor, Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiKeyReply } from '#contract/api-keys.ts';
import { revokeApiKey } from '#contract/calls/api-keys.ts';
import { ToneBadge } from '../../components/badge.tsx';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { showSuccess } from '../../components/flash.ts';
import { Icon } from '../../components/icons.tsx';
import { OwnerName } from '../../components/owner.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { ReadOnlyNotice } from '../../components/read-only-notice.tsx';
import { EmptyState, FailedState } from '../../components/states.tsx';
import { type Column, DataTable } from '../../components/table.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { formatDateTime, zoneName } from '../../data/format.ts';
import { useAction } from '../../data/queries.ts';
import { apiKeysQuery } from '../../data/screen-queries.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { CreateKeyDialog } from './create-key-dialog.tsx';

/** The keys with which programs of the client call the API. */
export function Component() {
  const [isCreating, setCreating] = useState(false);
  const keys = useQuery(apiKeysQuery());
  const timeZone = useTimeZone();
  const isReadOnly = useReadOnly();
  const revoke = useAction(revokeApiKey, {
    changes: ['api-keys'],
    onSuccess: () => showSuccess('The API key was revoked.'),
  });
  const create = (
    <Button leftSection={<Icon name="lock" size={16} />} disabled={isReadOnly} onClick={() => setCreating(true)}>
      Create API key
    </Button>
  );
  return (
    <Page
      title="API Keys"
      lead="Programs use a key to read documents, runs and months, or to start syncs. The audit trail names the key."
      actions={create}
    >
      <ReadOnlyNotice />
      <Panel flush>
        {keys.isLoadingError ? (
          <FailedState what="API keys" of={keys} />
        ) : keys.data?.length === 0 ? (
          <EmptyState icon="lock">
            No API keys yet. The{' '}
            <Anchor inherit underline="always" href="/help/api/">
              API reference
            </Anchor>{' '}
            describes the calls.
          </EmptyState>
        ) : (
          <DataTable
            label="API keys"
            columns={columnsFor(zoneName(timeZone), timeZone, {
              revoke: isReadOnly ? null : (id) => revoke.mutate({ params: { id } }),
              revokingId: revoke.isPending ? revoke.variables.params.id : null,
            })}
            rows={keys.data}
            rowKey={({ id }) => id}
            placeholderRows={2}
          />
        )}
      </Panel>
      <CreateKeyDialog isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  );
}

const scopeLabels = { read: 'Read', sync: 'Read and sync' } as const;

const columnsFor = (
  zone: string,
  timeZone: string,
  { revoke, revokingId }: { readonly revoke: ((id: string) => void) | null; readonly revokingId: string | null },
): readonly Column<ApiKeyReply>[] => [
  {
    key: 'name',
    head: 'Name',
    cell: ({ name, is_expired: isExpired }) => (
      <Group component="span" gap="sm" display="inline-flex" fw={500} style={{ overflowWrap: 'anywhere' }}>
        {name}
        {isExpired && <ToneBadge tone="bad">Expired</ToneBadge>}
      </Group>
    ),
    width: '26%',
    narrow: 'title',
  },
  { key: 'scope', head: 'Allows', cell: ({ scope }) => scopeLabels[scope], narrowLabel: true },
  { key: 'owner', head: 'Owner', cell: ({ owner }) => <OwnerName owner={owner} />, narrowLabel: true },
  {
    key: 'ends_at',
    head: `Expires (${zone})`,
    cell: ({ ends_at: at }) => formatDateTime(at, timeZone),
    narrowLabel: true,
  },
  {
    key: 'last_used_at',
    head: 'Last used',
    cell: ({ last_used_at: at }) => (at === null ? 'never' : <RelativeTime at={at} />),
    narrowLabel: true,
  },
  {
    key: 'revoke',
    head: '',
    cell: ({ id, name }) =>
      revoke === null ? (
        ''
      ) : (
        <ConfirmButton
          size="xs"
          label="Revoke"
          armedLabel="Revoke it"
          effect={`Programs that use “${name}” are rejected from then on.`}
          busy={revokingId === id}
          onConfirm={() => revoke(id)}
        />
      ),
    align: 'end',
    width: '130px',
    narrow: 'trail',
  },
];
