import { useQuery } from '@tanstack/react-query';
import { listMappings, saveMappings } from '#contract/calls/mappings.ts';
import { showError } from '../../components/flash.ts';
import { queryOf, useAction } from '../../data/queries.ts';
import { type CreateRepair, mappingOf, type MapRepair } from './repairs.ts';

/**
 * Saves the mapping of a repair, unless another user mapped the record after the card was opened. After such a refusal,
 * the user has seen the other mapping, so saving again overwrites it.
 */
export function useRepairMapping(repair: MapRepair | CreateRepair, onSaved: () => void) {
  const { namespace, sourceEntity, sourceValue } = repair;
  const query = { namespace, source_entity: sourceEntity, source_value: sourceValue };
  const seen = useQuery({
    ...queryOf(listMappings, { query }, 'mappings', 'of record', query),
    // The mapping as the user saw it: it is only read again after a save.
    staleTime: 'static',
    gcTime: 0,
    select: ({ subscription_xrefs: [now] }) => ({ target: now?.target_value ?? null }),
  });
  const save = useAction(saveMappings, {
    changes: ['attention'],
    onSuccess: onSaved,
    onError: (error) => {
      void seen.refetch();
      showError(error.message);
    },
  });
  return {
    isSaving: save.isPending,
    mapTo: (target: { readonly value: string; readonly label: string }): void =>
      save.mutate({
        params: { namespace },
        body: { xrefs: [{ ...mappingOf(repair, target), was: seen.data?.target }] },
      }),
  };
}
