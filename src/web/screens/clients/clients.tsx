import { Box } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { masquerade } from '#contract/calls/auth.ts';
import type { Client } from '#contract/clients.ts';
import { startSession } from '../../data/current-session.ts';
import { useEnvironment } from '../../data/environment.ts';
import { useAction } from '../../data/queries.ts';
import { clientStatesQuery } from '../../data/screen-queries.ts';
import { formatCount } from '../../data/format.ts';
import { useNow } from '../../data/use-now.ts';
import { ViewsMenu } from '../../components/list-views.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { PagedList, usePaging } from '../../components/paged-list.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { textOf } from '../../components/use-address.ts';
import { ClientPanel } from './client-panel.tsx';
import { columnsOf } from './columns.tsx';
import { MonthlyReads } from './monthly-reads.tsx';

/** Lists all clients of the deployment for system administrators, those that need help first. */
export function Component() {
  const { query, change, place, paging } = usePaging('clients', 25);
  const [open, setOpen] = useState<Client | null>(null);
  const { psa, accounting } = useEnvironment();
  const nowMs = useNow();
  const navigate = useNavigate();
  const act = useAction(masquerade, {
    onSuccess: async ({ token }) => {
      await navigate('/my');
      startSession(token);
    },
  });
  const tab = query.get('tab') === 'help' ? 'help' : 'all';
  const text = textOf(query, 'q');
  const found = useQuery(clientStatesQuery({ q: text, needs_help: tab === 'help' ? 'true' : 'false', ...place }));
  const { data } = found;
  const total = tab === 'help' ? data?.needing_help : data?.total;
  const columns = columnsOf({
    psa: psa.label,
    accounting: accounting.label,
    nowMs,
    onOpen: setOpen,
    onActAs: ({ id }) => act.mutate({ body: { client_id: id } }),
  });
  const counted = (label: string, count: number | undefined) =>
    count === undefined ? label : `${label} ${formatCount(count)}`;
  return (
    <Page
      title="Clients"
      lead="How the syncs of each client are going. Their documents are visible only as the client."
      actions={<ViewsMenu list="clients" />}
    >
      <Panel flush>
        <Tabs
          label="Parts of clients"
          tabs={[
            { key: 'all', label: counted('All', data?.total) },
            { key: 'help', label: counted('Need help', data?.needing_help) },
          ]}
          open={tab}
          onOpen={(key) => change({ tab: key === 'all' ? '' : key })}
        >
          <Box maw={420} px="md" py="sm">
            <SearchField
              label="Find clients"
              placeholder="Find a client"
              value={text}
              onChange={(q) => change({ q })}
            />
          </Box>
          <PagedList
            what="The clients"
            found={found}
            {...paging}
            total={total ?? 0}
            empty={
              <EmptyState icon="clients">
                {text !== ''
                  ? 'No client has this name.'
                  : tab === 'help'
                    ? 'No client needs help.'
                    : 'No clients yet. Clients appear here after they register.'}
              </EmptyState>
            }
            label="Clients"
            columns={columns}
            rows={data?.clients}
            rowKey={({ id }) => id}
            rowLabel={({ name }) => name}
            onOpen={setOpen}
            current={open?.id}
          />
        </Tabs>
      </Panel>
      <MonthlyReads />
      <ClientPanel client={open} clients={data?.clients ?? []} onOpen={setOpen} onClose={() => setOpen(null)} />
    </Page>
  );
}
