import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { masquerade } from '#contract/calls/auth.ts';
import { startSession } from '../../data/current-session.ts';
import { useAction } from '../../data/queries.ts';
import { clientsQuery } from '../../data/screen-queries.ts';
import { Panel } from '../../components/page.tsx';
import { selectText } from '../../components/select-text.ts';

/** Maximum number of names in the list; typing narrows it down. */
const maxOptions = 50;

/** Lets a system administrator act as a client; the client’s session replaces the current one. */
export function MasqueradeChooser({ current }: { current: string | null }) {
  const clients = useQuery(clientsQuery());
  const act = useAction(masquerade, { onSuccess: ({ token }) => startSession(token) });
  return (
    <Panel>
      <Select
        maw={420}
        label="Masquerade as Client"
        description="Your actions are recorded under your own name."
        placeholder={clients.isPending ? 'Loading clients…' : 'Type a client’s name'}
        data={(clients.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        // After a failure the user can choose the same client again.
        value={(act.isError ? null : act.variables?.body.client_id) ?? current}
        onChange={(id) => id !== null && id !== current && act.mutate({ body: { client_id: id } })}
        searchable
        onClick={selectText}
        selectFirstOptionOnChange
        limit={maxOptions}
        maxDropdownHeight={320}
        nothingFoundMessage="No matches."
        disabled={clients.isPending || act.isPending}
        error={clients.isError ? `The clients could not be loaded. ${clients.error.message}` : undefined}
      />
    </Panel>
  );
}
