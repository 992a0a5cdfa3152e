import { useSearchParams } from '../../lib/router.tsx';

type Key = 'tab' | 'q' | 'inactive' | 'page';

/**
 * Tab, search and page of a mapping screen. They are part of its address, so that a reload, Back and a copied link show
 * the same rows.
 *
 * @returns `change` sets values, null to remove one; every change but that of the page leads to the first page.
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
    /** The tab of the address, or the first one when it names none of these. */
    tabOf: <Key extends string>(tabs: readonly { readonly key: Key }[]): Key | undefined =>
      (tabs.find(({ key }) => key === query.get('tab')) ?? tabs[0])?.key,
  };
}
