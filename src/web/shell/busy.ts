import { useIsFetching, useIsMutating } from '@tanstack/react-query';
import { useNavigation } from 'react-router';

/** True while a request runs that the user waits for; polling for jobs and notices does not count. */
export function useBusy(): boolean {
  const fetching = useIsFetching({ predicate: ({ queryKey }) => !['jobs', 'notices'].includes(String(queryKey[2])) });
  const mutating = useIsMutating();
  const { state } = useNavigation();
  return fetching + mutating > 0 || state !== 'idle';
}
