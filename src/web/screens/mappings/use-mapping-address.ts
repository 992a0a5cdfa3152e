import { useSearchParams } from 'react-router';

type Key = 'tab' | 'q' | 'inactive';

/**
 * Reads and changes the tab, search and page of a mapping screen. The address contains them, so that a reload, Back and a
 * copied link show the same rows.
 *
 * @returns `change` sets values and removes those set to null; each change opens page 1
 */
export function useMappingAddress() {
  const [query, setQuery] = useSearchParams();
  const change = (values: Partial<Readonly<Record<Key, string | null>>>) =>
    setQuery(
      (current) => {
        const next = new URLSearchParams(current);
        next.delete('page');
        for (const [key, value] of Object.entries(values))
          if (value === null) next.delete(key);
          else next.set(key, value);
        return next;
      },
      { replace: true, preventScrollReset: true },
    );
  return {
    query,
    change,
    /** Returns the tab in the address, or the first tab. */
    tabOf: <Key extends string>(tabs: readonly { readonly key: Key }[]): Key | undefined =>
      (tabs.find(({ key }) => key === query.get('tab')) ?? tabs[0])?.key,
  };
}
