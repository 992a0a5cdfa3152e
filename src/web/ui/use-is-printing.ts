import { useSyncExternalStore } from 'react';

const print = () => window.matchMedia('print');

function subscribe(onChange: () => void): () => void {
  const query = print();
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

/** True while the page is put on paper: nothing can be turned over there, so a list is whole. */
export const useIsPrinting = (): boolean => useSyncExternalStore(subscribe, () => print().matches);
