import { useEffect } from 'react';

/** Sets the title of the browser tab while the component is mounted. */
export function useTabTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Tallybridge`;
  }, [title]);
}
