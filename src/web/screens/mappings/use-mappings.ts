import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { saveMappings, searchMappingTargets, type MappingRowReply } from '#contract/mappings.ts';
import type { BodyOf } from '#contract/define.ts';
import type { MappingNamespace } from '#core/mapping/mapping.ts';
import { call, CallError } from '../../lib/call.ts';
import { clearFlash, showMessage } from '../../lib/flash.ts';
import { refreshAll, subscriptionQuery } from '../../lib/queries.ts';
import { mappingTableQuery, mappingUsageQuery } from '../../lib/setup-queries.ts';
import { readinessOf } from '../../lib/subscription.ts';
import type { Choice } from '../../ui/type-ahead.tsx';
import { entitiesOf } from './namespaces.ts';
import { mostPerCall, refusedAfter } from './rows.ts';

type Wanted = BodyOf<typeof saveMappings>['xrefs'][number];

/** A row, and where it is to lead; null: nowhere. */
export interface Assignment {
  readonly row: MappingRowReply;
  readonly target: Pick<Choice, 'value' | 'text'> | null;
}

/** What is asked for: a mapping that somebody else has changed since it was shown is never overwritten. */
const toWanted = (namespace: MappingNamespace, { row, target }: Assignment): Wanted => ({
  ...(row.xref === null ? {} : { id: row.xref.id }),
  ...entitiesOf(namespace),
  source_value: row.source_value,
  source_value_label: row.label.slice(0, 500),
  target_value: target?.value ?? null,
  target_value_label: target?.text.slice(0, 500) ?? null,
  was: row.xref?.target_value ?? null,
});

/** The rows of a namespace and what can be done with them. */
export function useMappings(namespace: MappingNamespace) {
  const { data: subscription } = useQuery(subscriptionQuery());
  const { connectionsOk } = readinessOf(subscription);
  const isReady = subscription !== undefined && connectionsOk;
  const table = useQuery({ ...mappingTableQuery(namespace), enabled: isReady });
  const usage = useQuery({ ...mappingUsageQuery(namespace), enabled: isReady });
  const [isSaving, setSaving] = useState(false);
  const [error, setError] = useState<string | null>(null);

  /** @returns true when everything was saved. */
  const save = async (assignments: readonly Assignment[]): Promise<boolean> => {
    clearFlash();
    setError(null);
    setSaving(true);
    let start = 0;
    try {
      const messages: string[] = [];
      for (; start < assignments.length; start += mostPerCall) {
        const xrefs = assignments.slice(start, start + mostPerCall).map((one) => toWanted(namespace, one));
        messages.push((await call(saveMappings, { params: { namespace }, body: { xrefs } })).data.message);
      }
      showMessage(messages.join(' '));
      return true;
    } catch (failure) {
      if (!(failure instanceof Error)) throw failure;
      const fields = failure instanceof CallError ? Object.values(failure.fields) : [];
      const why = fields.length > 1 ? `${failure.message} ${fields.slice(0, 3).join(' ')}` : failure.message;
      setError(refusedAfter(start, assignments.length, why));
      return false;
    } finally {
      setSaving(false);
      await refreshAll('mappings');
      void refreshAll('subscription');
    }
  };
  const search = async (text: string, signal: AbortSignal): Promise<readonly Choice[]> =>
    (await call(searchMappingTargets, { params: { namespace }, query: { q: text } }, signal)).data.options;

  return {
    isConnected: connectionsOk,
    isKnown: subscription !== undefined,
    table,
    usage: usage.data?.usage,
    currency: usage.data?.currency ?? null,
    save,
    search,
    isSaving,
    error,
    clearError: () => setError(null),
  };
}

export type Mappings = ReturnType<typeof useMappings>;
