import { useSyncExternalStore } from 'react';

const print = () => window.matchMedia('print');

function subscribe(onChange: () => void): () => void {
  const query = print();
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

/** True while the page is printed: paper has no paging, so lists show all rows. */
export const useIsPrinting = (): boolean => useSyncExternalStore(subscribe, () => print().matches);
