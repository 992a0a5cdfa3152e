import { queryOptions } from '@tanstack/react-query';

/** A title in the help, as `scripts/help.ts` lists it. */
export interface HelpTitle {
  /** Below `/help/`. */
  readonly path: string;
  readonly title: string;
  /** Title of the page. */
  readonly page: string;
}

/** The titles in the help; none where the help is not built. */
export const helpTitlesQuery = () =>
  queryOptions({
    queryKey: ['help-titles'],
    queryFn: async ({ signal }) => {
      const response = await fetch('/help/titles.json', { signal });
      return response.ok ? ((await response.json()) as readonly HelpTitle[]) : [];
    },
    staleTime: Infinity,
    retry: false,
  });
