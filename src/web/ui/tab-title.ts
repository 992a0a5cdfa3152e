import { useEffect } from 'react';

/** Names the browser tab while the caller is on the screen. */
export function useTabTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Tallybridge`;
  }, [title]);
}
