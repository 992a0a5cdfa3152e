import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { saveMappings, searchMappingTargets } from '#contract/mappings.ts';
import type { MappingNamespace } from '#core/mapping/mapping.ts';
import { call, CallError } from '../../lib/call.ts';
import { clearErrors, showError, showMessage } from '../../lib/flash.ts';
import { refreshAll, subscriptionQuery } from '../../lib/queries.ts';
import { mappingTableQuery, mappingUsageQuery } from '../../lib/setup-queries.ts';
import { readinessOf } from '../../lib/subscription.ts';
import { useReadOnly } from '../../lib/use-read-only.ts';
import type { Found } from '../../ui/type-ahead.tsx';
import { type Assignment, toWanted, type Wanted } from './assignment.ts';
import { type Progress, refusedAfter, sendInParts } from './parts.ts';

/** Saves a part of a selection; answers what happened. */
export const sendTo =
  (namespace: MappingNamespace) =>
  async (xrefs: readonly Wanted[]): Promise<string> =>
    (await call(saveMappings, { params: { namespace }, body: { xrefs: [...xrefs] } })).data.message;

/** A list waits so long for the money that orders it, and keeps the order of its names then. */
const longestWaitMs = 10_000;

/** True once the money of a namespace has been waited for as long as that. */
function useIsLate(namespace: MappingNamespace, isWaiting: boolean): boolean {
  const [late, setLate] = useState<MappingNamespace | null>(null);
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setTimeout(() => setLate(namespace), longestWaitMs);
    return () => clearTimeout(timer);
  }, [namespace, isWaiting]);
  return late === namespace;
}

/** The rows of a namespace and what can be done with them. */
export function useMappings(namespace: MappingNamespace) {
  const { data: subscription } = useQuery(subscriptionQuery());
  const { connectionsOk } = readinessOf(subscription);
  const isReady = subscription !== undefined && connectionsOk;
  const table = useQuery({ ...mappingTableQuery(namespace), enabled: isReady });
  const usage = useQuery({ ...mappingUsageQuery(namespace), enabled: isReady });
  const isLate = useIsLate(namespace, isReady && usage.isPending);
  const isReadOnly = useReadOnly();
  const [isSaving, setSaving] = useState(false);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [error, setError] = useState<string | null>(null);

  /**
   * @param isShownOnTop a refusal is said by the bar on top, where nothing beside the list shows {@link error}.
   * @returns true when everything was saved.
   */
  const save = async (
    assignments: readonly Assignment[],
    { isErrorOnTop = false }: { readonly isErrorOnTop?: boolean } = {},
  ): Promise<boolean> => {
    clearErrors();
    setError(null);
    setSaving(true);
    let reached: Progress = { done: 0, total: assignments.length };
    const wanted = assignments.map((one) => toWanted(namespace, one));
    try {
      const message = await sendInParts(wanted, sendTo(namespace), (now) => {
        reached = now;
        setProgress(now);
      });
      showMessage(message);
      return true;
    } catch (failure) {
      if (!(failure instanceof Error)) throw failure;
      const fields = failure instanceof CallError ? Object.values(failure.fields) : [];
      const why = fields.length > 1 ? `${failure.message} ${fields.slice(0, 3).join(' ')}` : failure.message;
      const message = refusedAfter(reached, why);
      if (isErrorOnTop) showError(message);
      else setError(message);
      return false;
    } finally {
      setSaving(false);
      setProgress(null);
      await refreshAll('mappings');
      void refreshAll('subscription');
    }
  };
  const search = async (text: string, signal: AbortSignal): Promise<Found> => {
    const { options, total } = (await call(searchMappingTargets, { params: { namespace }, query: { q: text } }, signal))
      .data;
    return { choices: options, total };
  };

  return {
    isConnected: connectionsOk,
    isKnown: subscription !== undefined,
    table,
    usage: usage.data?.usage,
    /** False while rows must wait for the money that says which of them come first. */
    isOrderKnown: !usage.isPending || isLate,
    currency: usage.data?.currency ?? null,
    save,
    search,
    isSaving,
    /** Nothing can be changed: a save is under way, or the subscription has ended. */
    isLocked: isSaving || isReadOnly,
    isReadOnly,
    /** Of a selection that is saved in parts, while it is under way. */
    progress,
    error,
    clearError: () => setError(null),
  };
}

export type Mappings = ReturnType<typeof useMappings>;
