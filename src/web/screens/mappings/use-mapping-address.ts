import { useSearchParams } from 'react-router';

type Key = 'tab' | 'q' | 'inactive' | 'page';

/**
 * Reads and changes the tab, search and page of a mapping screen. The address contains them, so that a reload, Back and a
 * copied link show the same rows.
 *
 * @returns `change` sets values and removes those set to null; all changes except the page open page 1
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
  const page = Number(query.get('page') ?? 1);
  return {
    query,
    change,
    page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    onPage: (to: number) => change({ page: to === 1 ? null : String(to) }),
    /** Returns the tab in the address, or the first tab. */
    tabOf: <Key extends string>(tabs: readonly { readonly key: Key }[]): Key | undefined =>
      (tabs.find(({ key }) => key === query.get('tab')) ?? tabs[0])?.key,
  };
}
