import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Client } from '#contract/clients.ts';
import { clientsQuery } from '../../lib/screen-queries.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/page.tsx';
import { Pager } from '../../ui/pager.tsx';
import { EmptyState, FailedState } from '../../ui/states.tsx';
import { type Column, DataTable } from '../../ui/table.tsx';
import { ClientDialog } from './client-dialog.tsx';
import styles from './clients.module.css';
import { ReadsOfMonth } from './reads-of-month.tsx';
import { clientsWords } from './words.ts';

const pageSize = 20;

/** Every client of the deployment, for those who run it. */
export function Component() {
  const clients = useQuery(clientsQuery());
  const [text, setText] = useState('');
  const [page, setPage] = useState(1);
  const [open, setOpen] = useState<Client | null>(null);
  const wanted = text.trim().toLowerCase();
  const found = clients.data?.filter(({ name }) => name.toLowerCase().includes(wanted));
  const columns: readonly Column<Client>[] = [
    {
      key: 'name',
      head: clientsWords.client,
      cell: ({ name }) => <span className={styles.name}>{name}</span>,
      placeholderWidth: 180,
      narrow: 'title',
    },
    {
      key: 'open',
      head: '',
      cell: (client) => (
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => setOpen(client)}
          aria-label={clientsWords.openClient(client.name)}
        >
          {clientsWords.open}
        </Button>
      ),
      placeholderWidth: 40,
      width: '90px',
      align: 'end',
      narrow: 'trail',
    },
  ];
  return (
    <Page title={clientsWords.clients} lead={clientsWords.theirSubscriptionsToSee}>
      <ReadsOfMonth />
      <Panel flush>
        <div className={styles.search}>
          <TextInput
            label={clientsWords.search}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setPage(1);
            }}
            leftSection={<Icon name="search" size={16} />}
            data-search
          />
        </div>
        {clients.isError && clients.data === undefined ? (
          <FailedState what={clientsWords.theClients} error={clients.error} onRetry={() => void clients.refetch()} />
        ) : found?.length === 0 ? (
          <EmptyState icon="clients">
            {wanted === '' ? clientsWords.noClientYet : clientsWords.noClientIsCalled}
          </EmptyState>
        ) : (
          <>
            <DataTable
              label={clientsWords.clients}
              columns={columns}
              rows={found?.slice((page - 1) * pageSize, page * pageSize)}
              rowKey={({ id }) => id}
              rowLabel={({ name }) => name}
              onOpen={setOpen}
            />
            <Pager page={page} pageSize={pageSize} total={found?.length ?? 0} onPage={setPage} />
          </>
        )}
      </Panel>
      <ClientDialog client={open} onClose={() => setOpen(null)} />
    </Page>
  );
}
