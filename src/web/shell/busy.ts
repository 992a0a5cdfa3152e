import { useIsFetching, useIsMutating } from '@tanstack/react-query';
import { useNavigation } from 'react-router';

/** True while a request runs that the user waits for; polling for jobs does not count. */
export function useBusy(): boolean {
  const fetching = useIsFetching({ predicate: ({ queryKey }) => queryKey[2] !== 'jobs' });
  const mutating = useIsMutating();
  const { state } = useNavigation();
  return fetching + mutating > 0 || state !== 'idle';
}
