import { queryOptions } from '@tanstack/react-query';
import { listCloses, readClose } from '#contract/calls/closes.ts';
import type { CloseState } from '#core/reconciliation/close.ts';
import { scopedKey, read } from '../../data/queries.ts';
import { ToneBadge } from '../../components/badge.tsx';

/** All prepared months, newest first. */
export const closesQuery = () =>
  queryOptions({
    queryKey: scopedKey('closes'),
    queryFn: async ({ signal }) => (await read(listCloses, { query: { months: 100 } }, signal)).closes,
  });

/** One month, refreshed every second while it is being prepared. */
export const closeQuery = (month: string) =>
  queryOptions({
    queryKey: scopedKey('closes', month),
    queryFn: async ({ signal }) => (await read(readClose, { params: { month }, query: {} }, signal)).close,
    refetchInterval: ({ state }) => (state.data?.is_preparing === true ? 1_000 : false),
  });

const stateLabels = { open: 'Open', ready: 'Ready', signed: 'Signed', changed: 'Changed' } as const;
const stateTones = { open: 'plain', ready: 'info', signed: 'ok', changed: 'bad' } as const;

export function CloseStateBadge({ state }: { state: CloseState }) {
  return <ToneBadge tone={stateTones[state]}>{stateLabels[state]}</ToneBadge>;
}
