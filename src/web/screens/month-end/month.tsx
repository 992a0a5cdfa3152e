import { Anchor, Button, Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { downloadClose, prepareClose } from '#contract/calls/closes.ts';
import type { CloseReply } from '#contract/closes.ts';
import { addressOf } from '#contract/define.ts';
import { download } from '../../data/download.ts';
import { useEnvironment } from '../../data/environment.ts';
import { showError, showMessage } from '../../components/flash.ts';
import { countOf, formatMoney, formatMonth, zoneName } from '../../data/format.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { useAction } from '../../data/queries.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { RefreshButton } from '../../components/refresh-button.tsx';
import { Notice } from '../../components/notice.tsx';
import { Figure, Figures } from '../../components/figures.tsx';
import { FailedPanel, Page, Panel } from '../../components/page.tsx';
import { ReadOnlyNotice } from '../../components/read-only-notice.tsx';
import { EmptyState, Skeleton } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { ReviewPage } from '../sync/review-page.tsx';
import { Carried, Changes } from './changes.tsx';
import { Completeness } from './completeness.tsx';
import { Exceptions } from './exceptions.tsx';
import { closeQuery, CloseStateBadge } from './parts.tsx';
import { SignOff } from './sign-off.tsx';
import { TieOuts } from './tie-outs.tsx';
import type { LeftDifference } from './use-next-difference.ts';
import { useSettling } from './use-settling.ts';

/** Shows a month, or the review of how to settle one of its differences. */
export function MonthScreen({ month }: { month: string }) {
  const settling = useSettling(month);
  const { reviewing, leave } = settling;
  const [left, setLeft] = useState<LeftDifference | null>(null);
  if (reviewing === null) return <Month month={month} settling={settling} left={left} />;
  return (
    <ReviewPage
      jobIds={[reviewing.test]}
      onSend={() => settling.send(reviewing)}
      onReplanned={(_, to) => settling.replan(reviewing, to)}
      onLeave={() => {
        setLeft({ key: reviewing.key, isSettled: false });
        leave();
      }}
      onSubmitted={() => {
        setLeft({ key: reviewing.key, isSettled: true });
        leave();
        showMessage('Refresh the month after the sync has finished.');
      }}
    />
  );
}

interface MonthProps {
  month: string;
  settling: ReturnType<typeof useSettling>;
  left: LeftDifference | null;
}

function Month({ month, settling, left }: MonthProps) {
  const query = useQuery(closeQuery(month));
  const prepare = useAction(prepareClose, { changes: ['closes'] });
  const save = useMutation({
    mutationFn: () => download({ ...downloadClose, path: addressOf(downloadClose, { params: { month } }) }),
    onError: (error) => showError(error.message),
  });
  const close = query.data;
  const isReadOnly = useReadOnly();
  const isBusy = close?.is_preparing === true || prepare.isPending;
  const start = () => prepare.mutate({ params: { month } });
  return (
    <Page
      title={`Month-end close: ${formatMonth(month)}`}
      lead={<Lead close={close} />}
      aside={close === undefined ? undefined : <CloseStateBadge state={close.state} />}
      actions={
        close !== undefined &&
        close.id !== null && (
          <>
            <Button variant="default" loading={save.isPending} onClick={() => save.mutate()}>
              Download ZIP
            </Button>
            <RefreshButton isDisabled={isReadOnly} isBusy={isBusy} onPress={start} />
          </>
        )
      }
    >
      <ReadOnlyNotice />
      {close !== undefined && close.problem !== null && !isBusy && (
        <Notice
          tone="bad"
          action={
            <Button variant="default" disabled={isReadOnly} onClick={start}>
              Try again
            </Button>
          }
        >
          {close.problem}
        </Notice>
      )}
      {query.isLoadingError ? (
        <FailedPanel what="The month" of={query} />
      ) : close === undefined ? (
        <Panel>
          <Stack gap="md">
            <Skeleton width="30%" height={28} />
            <Skeleton width="60%" />
            <Skeleton width="50%" />
          </Stack>
        </Panel>
      ) : close.id === null ? (
        <Unprepared month={month} isBusy={isBusy} isReadOnly={isReadOnly} onPrepare={start} />
      ) : (
        <Prepared close={close} month={month} settling={settling} left={left} />
      )}
    </Page>
  );
}

/** A link to all months, and who prepared this one. */
function Lead({ close }: { close: CloseReply | undefined }) {
  const timeZone = useTimeZone();
  return (
    <>
      <Anchor inherit underline="always" component={Link} to="/month-end">
        All months
      </Anchor>
      {close !== undefined && close.prepared_at !== null && (
        <>
          {' · prepared '}
          <RelativeTime at={close.prepared_at} />
          {` by ${close.prepared_by ?? ''} · times in ${zoneName(timeZone)}`}
        </>
      )}
    </>
  );
}

interface UnpreparedProps {
  month: string;
  isBusy: boolean;
  isReadOnly: boolean;
  onPrepare: () => void;
}

/** Offers to prepare the month. */
function Unprepared({ month, isBusy, isReadOnly, onPrepare }: UnpreparedProps) {
  return (
    <Panel>
      <EmptyState
        icon="shield"
        action={
          <Button disabled={isReadOnly} loading={isBusy} onClick={onPrepare}>
            {`Prepare ${formatMonth(month)}`}
          </Button>
        }
      >
        {isBusy
          ? 'Reading both services. This takes a few seconds.'
          : 'This month is not prepared yet. Preparing only reads from both services.'}
      </EmptyState>
    </Panel>
  );
}

function Prepared({ close, month, settling, left }: MonthProps & { close: CloseReply }) {
  const [currency, setCurrency] = useState(close.totals[0]?.currency ?? '');
  const known = close.totals.some((one) => one.currency === currency) ? currency : (close.totals[0]?.currency ?? '');
  const body = <OneCurrency close={close} currency={known} />;
  return (
    <>
      {close.state === 'changed' && (
        <Notice tone="warning">{`This month changed after it was signed. Section D lists ${countOf(close.changes.length, 'change')}.`}</Notice>
      )}
      {close.totals.length > 1 ? (
        <Tabs
          label="Currency"
          tabs={close.totals.map((one) => ({
            key: one.currency,
            label: one.currency,
            warning: Number(one.unexplained) === 0 ? undefined : 'Unexplained difference',
          }))}
          open={known}
          onOpen={setCurrency}
        >
          <Stack gap="md">{body}</Stack>
        </Tabs>
      ) : (
        body
      )}
      <TieOuts close={close} />
      <Exceptions close={close} month={month} isPlanning={settling.isPlanning} left={left} onSettle={settling.plan} />
      <Carried close={close} />
      <Changes close={close} />
      <SignOff close={close} month={month} />
    </>
  );
}

function OneCurrency({ close, currency }: { close: CloseReply; currency: string }) {
  const totals = close.totals.find((one) => one.currency === currency);
  const { psa } = useEnvironment();
  if (totals === undefined) return null;
  const isZero = Number(totals.unexplained) === 0;
  const undecided = close.undecided.find((one) => one.currency === currency);
  return (
    <>
      <Figures label={`Sales in ${currency}`} columns="repeat(5, minmax(0, 1fr))">
        <Figure label={psa.label} value={formatMoney(totals.psa_total, currency)} note={included} />
        <Figure label="QuickBooks" value={formatMoney(totals.accounting_total, currency)} note={included} />
        <Figure
          label="Difference"
          value={formatMoney(totals.difference, currency)}
          note={`${formatMoney(totals.explained, currency)} explained`}
        />
        <Figure
          label="Unexplained"
          value={formatMoney(totals.unexplained, currency)}
          note={isZero ? 'Every difference has a cause' : 'No cause found'}
          verdict={isZero ? 'ok' : 'bad'}
        />
        <Figure
          label="Undecided"
          value={formatMoney(undecided?.amount ?? '0', currency)}
          note={
            undecided === undefined
              ? 'No differences to decide'
              : `${countOf(undecided.count, 'difference')} to settle, accept or carry`
          }
          verdict={undecided === undefined ? 'ok' : 'bad'}
        />
      </Figures>
      <Completeness close={close} currency={currency} />
    </>
  );
}

const included = 'Invoices and credit memos, tax included';
