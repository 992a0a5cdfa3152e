import type { DraftReply } from '#contract/drafts.ts';
import { countOf } from '../../lib/format.ts';
import { worthWithin } from '../needs-attention/headline.ts';

/** Label of the last button: what it does. @param books short name of the accounting service */
export function approveLabel(drafts: readonly DraftReply[], books: string): string {
  const first = drafts.filter(({ approval }) => approval === 'first');
  const final = drafts.filter(({ approval }) => approval === 'final');
  if (drafts.length === 0) return 'Nothing is selected';
  if (final.length === 0) return `Approve ${worthWithin(first)} as the first of two`;
  const post = `Post ${worthWithin(final)} to ${books}`;
  return first.length === 0 ? post : `${post}; approve ${countOf(first.length, 'other')} as the first of two`;
}

/** Why the person cannot approve some of what is chosen; null when they can. */
export function obstacleOf(drafts: readonly DraftReply[]): string | null {
  const [worst] = drafts.flatMap(({ approval }) => (approval === 'first' || approval === 'final' ? [] : [approval]));
  if (worst === undefined) return null;
  const count = drafts.filter(({ approval }) => approval === worst).length;
  return {
    changed_setup:
      'You have changed settings or mappings since somebody else last approved a run, so somebody else approves this one.',
    prepared_it: `You started the sync of ${countOf(count, 'document')} yourself, so somebody else approves ${count === 1 ? 'it' : 'them'}.`,
    approved_it: `You have approved ${countOf(count, 'document')} already; a second person is needed.`,
  }[worst];
}
