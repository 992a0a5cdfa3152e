import { Box } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { masquerade } from '#contract/calls/auth.ts';
import type { Client } from '#contract/clients.ts';
import { startSession } from '../../data/current-session.ts';
import { useEnvironment } from '../../data/environment.ts';
import { useAction } from '../../data/queries.ts';
import { clientStatesQuery } from '../../data/screen-queries.ts';
import { formatCount } from '../../data/format.ts';
import { useNow } from '../../data/use-now.ts';
import { DisplayMenu, useListDisplay } from '../../components/list-display.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { Pager } from '../../components/pager.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { EmptyState, FailedState } from '../../components/states.tsx';
import { DataTable } from '../../components/table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { ClientPanel } from './client-panel.tsx';
import { columnsOf } from './columns.tsx';
import { MonthlyReads } from './monthly-reads.tsx';

/** Lists all clients of the deployment for system administrators, those that need help first. */
export function Component() {
  const [query, setQuery] = useSearchParams();
  const [display, changeDisplay] = useListDisplay('clients');
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
  const change = (changes: Readonly<Record<string, string>>) =>
    setQuery(
      (now) => {
        const next = new URLSearchParams(now);
        for (const [key, value] of Object.entries({ page: '', ...changes }))
          if (value === '') next.delete(key);
          else next.set(key, value);
        return next;
      },
      { replace: true, preventScrollReset: true },
    );
  const tab = query.get('tab') === 'help' ? 'help' : 'all';
  const text = query.get('q') ?? '';
  const page = Math.max(1, Math.trunc(Number(query.get('page'))) || 1);
  const found = useQuery(
    clientStatesQuery({
      q: text.slice(0, 200),
      needs_help: tab === 'help' ? 'true' : 'false',
      page,
      page_size: display.pageSize,
    }),
  );
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
          {found.isError && data === undefined ? (
            <FailedState what="The clients" of={found} />
          ) : total === 0 ? (
            <EmptyState icon="clients">
              {text !== ''
                ? 'No client has this name.'
                : tab === 'help'
                  ? 'No client needs help.'
                  : 'No clients yet. Clients appear here after they register.'}
            </EmptyState>
          ) : (
            <>
              <DataTable
                label="Clients"
                columns={columns.filter(({ key }) => !display.hidden.includes(key))}
                rows={data?.clients}
                rowKey={({ id }) => id}
                rowLabel={({ name }) => name}
                onOpen={setOpen}
                current={open?.id}
                density={display.density}
                isHeadSticky
                isStale={found.isPlaceholderData}
              />
              <Pager
                page={page}
                pageSize={display.pageSize}
                total={total ?? 0}
                onPage={(to) => change({ page: to === 1 ? '' : String(to) })}
              >
                <DisplayMenu
                  label="Clients"
                  columns={columns.filter(({ key, head }) => head !== '' && key !== 'name')}
                  display={display}
                  onChange={changeDisplay}
                />
              </Pager>
            </>
          )}
        </Tabs>
      </Panel>
      <MonthlyReads />
      <ClientPanel client={open} clients={data?.clients ?? []} onOpen={setOpen} onClose={() => setOpen(null)} />
    </Page>
  );
}
