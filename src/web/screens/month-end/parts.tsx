import { Text } from '@mantine/core';
import { queryOptions } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { listCloses, readClose } from '#contract/calls/closes.ts';
import type { CloseState } from '#core/reconciliation/close.ts';
import { differenceClasses, type DifferenceClass } from '#core/reconciliation/difference-classes.ts';
import { queryOf } from '../../data/queries.ts';
import { ToneBadge } from '../../components/badge.tsx';

/** All prepared months, newest first. */
export const closesQuery = () =>
  queryOptions({ ...queryOf(listCloses, { query: { months: 100 } }, 'closes'), select: ({ closes }) => closes });

/** One month, refreshed every second while it is being prepared. */
export const closeQuery = (month: string) =>
  queryOptions({
    ...queryOf(readClose, { params: { month }, query: {} }, 'closes', month),
    select: ({ close }) => close,
    refetchInterval: ({ state }) => (state.data?.close.is_preparing === true ? 1_000 : false),
  });

const stateLabels = { open: 'Open', ready: 'Ready', signed: 'Signed', changed: 'Changed' } as const;
const stateTones = { open: 'plain', ready: 'info', signed: 'ok', changed: 'bad' } as const;

export function CloseStateBadge({ state }: { state: CloseState }) {
  return <ToneBadge tone={stateTones[state]}>{stateLabels[state]}</ToneBadge>;
}

/** An unexplained amount: green if it is zero, else red. */
export const Unexplained = ({ amount, children }: { amount: string; children: ReactNode }) => (
  <Text span inherit fw={600} c={Number(amount) === 0 ? 'ok' : 'red'}>
    {children}
  </Text>
);

/** Returns the label of a cause. @param psa the PSA's label */
export const labelOf = (of: DifferenceClass | 'unexplained', psa: string): string =>
  of === 'unexplained' ? 'Unexplained' : differenceClasses[of].label.replaceAll(/\b[Tt]he PSA\b|\bPSA\b/g, psa);

/** The number and the customer or vendor of a document. */
export const DocumentName = ({ number, party }: { number: string | null; party: string }) => (
  <>
    <bdi>{number}</bdi>
    {(number ?? '') !== '' && party !== '' && ' · '}
    <bdi>{party}</bdi>
  </>
);
