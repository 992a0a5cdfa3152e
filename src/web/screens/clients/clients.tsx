import { Box, Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Client } from '#contract/clients.ts';
import { clientsQuery } from '../../data/screen-queries.ts';
import { Icon } from '../../components/icons.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { EmptyState, FailedState } from '../../components/states.tsx';
import { type Column, DataTable } from '../../components/table.tsx';
import { ClientDialog } from './client-dialog.tsx';
import { MonthlyReads } from './monthly-reads.tsx';

const pageSize = 20;

/** Lists all clients of the deployment for system administrators. */
export function Component() {
  const clients = useQuery(clientsQuery());
  const [text, setText] = useState('');
  const [page, setPage] = useState(1);
  const [open, setOpen] = useState<Client | null>(null);
  const searched = text.trim().toLowerCase();
  const found = clients.data?.filter(({ name }) => name.toLowerCase().includes(searched));
  const columns: readonly Column<Client>[] = [
    {
      key: 'name',
      head: 'Client',
      cell: ({ name }) => (
        <Box component="span" fw={500} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Box>
      ),
      placeholderWidth: 180,
      narrow: 'title',
    },
    {
      key: 'open',
      head: '',
      cell: (client) => (
        <Button variant="subtle" size="compact-sm" onClick={() => setOpen(client)} aria-label={`Open ${client.name}`}>
          Open
        </Button>
      ),
      placeholderWidth: 40,
      width: '90px',
      align: 'end',
      narrow: 'trail',
    },
  ];
  return (
    <Page title="Clients" lead="All clients and their subscriptions. To act as a client, use the Overview.">
      <MonthlyReads />
      <Panel flush>
        <Box maw={420} pt={12} pr="md" pb="md" pl="md">
          <TextInput
            label="Search"
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setPage(1);
            }}
            leftSection={<Icon name="search" size={16} />}
            data-search
          />
        </Box>
        {clients.isError && clients.data === undefined ? (
          <FailedState what="The clients" error={clients.error} onRetry={() => void clients.refetch()} />
        ) : found?.length === 0 ? (
          <EmptyState icon="clients">
            {searched === '' ? 'No clients yet. Clients appear here after they register.' : 'No matches.'}
          </EmptyState>
        ) : (
          <>
            <DataTable
              label="Clients"
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
