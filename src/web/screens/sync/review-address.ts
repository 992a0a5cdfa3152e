import { useSearchParams } from '../../lib/router.tsx';

/** The name of the tests in an address, e.g. `/my?review=…&review=…`, one of each kind. */
const reviewKey = 'review';

/**
 * The review that stands in the place of a screen. Its address is kept: it is found again after a reload, and Back
 * leads to the screen.
 *
 * @returns `reviewing`: ids of tests, empty while nothing is reviewed; `review` opens one
 */
export function useReviewAddress() {
  const [query, setQuery] = useSearchParams();
  const withIds = (ids: readonly string[]) => {
    const next = new URLSearchParams(query);
    next.delete(reviewKey);
    for (const id of ids) next.append(reviewKey, id);
    return next;
  };
  return {
    reviewing: query.getAll(reviewKey),
    review: (ids: readonly string[]) => setQuery(withIds(ids)),
    leave: () => setQuery(withIds([]), { replace: true }),
  };
}
