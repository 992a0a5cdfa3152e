import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { saveMappings, searchMappingTargets } from '#contract/calls/mappings.ts';
import type { MappingNamespace } from '#core/mapping/mapping.ts';
import { call, CallError } from '../../data/call.ts';
import { clearErrors, flashMs, showError, showSuccess } from '../../components/flash.ts';
import { refreshAll, subscriptionQuery } from '../../data/queries.ts';
import { mappingTableQuery, mappingUsageQuery } from '../../data/setup-queries.ts';
import { readinessOf } from '../../data/subscription.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import type { Found } from '../../components/type-ahead.tsx';
import { type Assignment, type Change, toChange, toUndo } from './assignment.ts';

/** Returns a function that searches the QuickBooks records of a namespace. */
export const searchIn =
  (namespace: MappingNamespace) =>
  async (q: string, signal: AbortSignal): Promise<Found> => {
    const { data } = await call(searchMappingTargets, { params: { namespace }, query: { q } }, signal);
    return { choices: data.options, total: data.total };
  };

/** How long a list waits for the amounts that determine its order. After that it is ordered by name. */
const maxWaitMs = 10_000;

/** Returns true after the amounts of a namespace were not loaded in time. */
function useIsLate(namespace: MappingNamespace, isWaiting: boolean): boolean {
  const [late, setLate] = useState<MappingNamespace | null>(null);
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setTimeout(() => setLate(namespace), maxWaitMs);
    return () => clearTimeout(timer);
  }, [namespace, isWaiting]);
  return late === namespace;
}

/** Loads the mappings of a namespace and saves changes. */
export function useMappings(namespace: MappingNamespace) {
  const { data: subscription } = useQuery(subscriptionQuery());
  const { connectionsOk } = readinessOf(subscription);
  const isReady = subscription !== undefined && connectionsOk;
  const table = useQuery({ ...mappingTableQuery(namespace), enabled: isReady });
  const usage = useQuery({ ...mappingUsageQuery(namespace), enabled: isReady });
  const isLate = useIsLate(namespace, isReady && usage.isPending);
  const isReadOnly = useReadOnly();
  const saving = useSaving(namespace);
  return {
    ...saving,
    isConnected: connectionsOk,
    isKnown: subscription !== undefined,
    table,
    usage: usage.data?.usage,
    /** The failed request for the amounts; null if it did not fail. */
    usageFailure: usage.isLoadingError ? usage : null,
    /** False until the amounts that determine the order are loaded or late. */
    isOrderKnown: !usage.isPending || isLate,
    currency: usage.data?.currency ?? null,
    search: searchIn(namespace),
    /** True while saving, or if the subscription has ended. */
    isLocked: saving.isSaving || isReadOnly,
    isReadOnly,
  };
}

/** Saves mappings of a namespace. Each save is one change with one Undo, whatever its size. */
export function useSaving(namespace: MappingNamespace) {
  const [isSaving, setSaving] = useState(false);
  const [error, setError] = useState<string | null>(null);

  /**
   * @param isErrorOnTop shows an error in the message bar instead of returning it as `error`
   * @returns true if everything was saved
   */
  const save = async (
    assignments: readonly Assignment[],
    { isErrorOnTop = false }: { readonly isErrorOnTop?: boolean } = {},
  ): Promise<boolean> => {
    clearErrors();
    setError(null);
    setSaving(true);
    try {
      const message = await saveChanges(namespace, assignments.map(toChange));
      showSuccess(message, flashMs, () => undoMappings([[namespace, assignments]]));
      return true;
    } catch (failure) {
      const message = reasonOf(failure);
      if (isErrorOnTop) showError(message);
      else setError(message);
      return false;
    } finally {
      setSaving(false);
      await refreshAll('mappings');
      void refreshAll('subscription');
    }
  };
  return { save, isSaving, error, clearError: () => setError(null) };
}

/** Saves changes of mappings. @returns the message of the server @throws CallError */
export const saveChanges = async (namespace: MappingNamespace, changes: readonly Change[]): Promise<string> =>
  (await call(saveMappings, { params: { namespace }, body: { changes: [...changes] } })).data.message;

/** Reverts saved mappings. A mapping that another user changed since is reported and stays. */
export async function undoMappings(
  saved: readonly (readonly [MappingNamespace, readonly Assignment[]])[],
): Promise<void> {
  clearErrors();
  try {
    for (const [namespace, assignments] of saved) await saveChanges(namespace, assignments.map(toUndo));
    showSuccess('Undone.');
  } catch (failure) {
    showError(reasonOf(failure));
  } finally {
    await refreshAll('mappings');
    void refreshAll('subscription');
  }
}

/** Returns why a save failed: the message, and up to three of its fields. */
export function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) throw failure;
  const fields = failure instanceof CallError ? Object.values(failure.fields) : [];
  return fields.length > 1 ? `${failure.message} ${fields.slice(0, 3).join(' ')}` : failure.message;
}

export type Mappings = ReturnType<typeof useMappings>;
