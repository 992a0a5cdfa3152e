import { Button, Group, Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { CurrentDocumentReply, DocumentReply } from '#contract/documents.ts';
import type { DocumentViewReply, SourceReply } from '#contract/planned.ts';
import type { SubmittableKind } from '#core/kinds.ts';
import { decimal, minus } from '#core/values/decimal.ts';
import { useEnvironment } from '../../data/environment.ts';
import { formatDateTime } from '../../data/format.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { Notice } from '../../components/notice.tsx';
import { Panel } from '../../components/page.tsx';
import { EmptyState, Skeleton } from '../../components/states.tsx';
import { isSameLine } from '../preview/compare.ts';
import { ComparedDocument } from '../preview/compared-document.tsx';
import { DocumentPreview } from '../preview/document-preview.tsx';

interface BothSystemsProps {
  document: DocumentReply;
  current: UseQueryResult<CurrentDocumentReply>;
}

/**
 * The document in both systems, line by line. Stored data is shown at once; what the services have now replaces it. A
 * service that cannot be read is named, with the stored data in its place.
 */
export function BothSystems({ document, current }: BothSystemsProps) {
  const { psa, accounting } = useEnvironment();
  const { plan, type } = document;
  const { data } = current;
  const isPosted = plan !== null && !plan.test && isInAccounting(document);
  const source = data?.psa.document ?? plan?.document.source ?? null;
  const inAccounting = withPlannedNames(data?.accounting.document ?? null, plan?.document ?? null);
  const view = inAccounting ?? plan?.document ?? null;
  const posted = isPosted && inAccounting !== null ? (plan?.document ?? null) : null;
  return (
    <>
      <Failures current={current} />
      {data?.psa.state === 'missing' && <Notice tone="warning">{psa.label} no longer has the document.</Notice>}
      {data?.accounting.state === 'missing' && (
        <Notice tone="warning">{accounting.short_label} no longer has the document.</Notice>
      )}
      <div>
        {view !== null && source !== null ? (
          <ComparedDocument
            document={{ ...view, terms: view.terms ?? plan?.document.terms ?? null, source }}
            currency={plan?.currency ?? document.currency}
            posted={posted}
          />
        ) : view !== null ? (
          <DocumentPreview document={{ ...view, source: null }} currency={plan?.currency ?? document.currency} />
        ) : source !== null ? (
          <DocumentPreview document={viewOfSource(source, type)} currency={document.currency} />
        ) : (
          <Panel>
            {current.isPending ? (
              <Skeleton width="100%" height={220} />
            ) : (
              <EmptyState icon="search">No lines are known. They appear after the first test.</EmptyState>
            )}
          </Panel>
        )}
        <Caption document={document} current={current} />
      </div>
    </>
  );
}

/** Whether the accounting service has, or had, a document that was posted for this one. */
const isInAccounting = ({ type, postings }: DocumentReply): boolean =>
  postings.some((one) => one.type === type && one.status !== 'sending' && one.status !== 'refused');

/** Says how old the shown document is. */
function Caption({ document, current }: BothSystemsProps) {
  const { plan } = document;
  const { psa, accounting } = useEnvironment();
  const timeZone = useTimeZone();
  const at = (time: string | number) => formatDateTime(new Date(time).toISOString(), timeZone);
  const { data, isFetching, dataUpdatedAt } = current;
  const stored =
    plan === null
      ? ''
      : plan.test || !isInAccounting(document)
        ? `${accounting.short_label} as planned on ${at(plan.at)}`
        : `As posted on ${at(plan.at)}`;
  const isCurrent = data?.psa.state === 'found' && data.accounting.state === 'found';
  const isOnlyInPsa = plan === null && data?.psa.state === 'found' && data.accounting.state === 'not_posted';
  const text = isOnlyInPsa
    ? `As ${psa.label} has it; not planned for ${accounting.short_label} yet`
    : isCurrent
      ? `As both systems have it; read ${at(dataUpdatedAt)}`
      : isFetching
        ? [stored, 'reading both systems…'].filter(Boolean).join('; ')
        : stored;
  return (
    <Text component="p" c="dimmed" size="xs" mt={6} mih={16} role="status">
      {text}
    </Text>
  );
}

/** The services that could not be read. */
function Failures({ current }: { current: UseQueryResult<CurrentDocumentReply> }) {
  const { psa, accounting } = useEnvironment();
  const { data, error, isFetching } = current;
  const failed = [
    ...(error !== null && data === undefined ? [`Both systems could not be read. ${error.message}`] : []),
    ...(data?.psa.state === 'failed' ? [`${psa.label} could not be read. ${data.psa.message ?? ''}`] : []),
    ...(data?.accounting.state === 'failed'
      ? [`${accounting.short_label} could not be read. ${data.accounting.message ?? ''}`]
      : []),
  ];
  if (failed.length === 0) return null;
  return (
    <Notice
      tone="warning"
      role="status"
      action={
        <Button variant="default" size="xs" loading={isFetching} onClick={() => void current.refetch()}>
          Try again
        </Button>
      }
    >
      <Group component="span" gap={2} display="block">
        {failed.map((text) => (
          <Text key={text} component="p" inherit>
            {text}
          </Text>
        ))}
        Stored data is shown instead.
      </Group>
    </Notice>
  );
}

/**
 * Adds the names that QuickBooks' document has only as ids: of records that were just created, and of the customers of
 * purchases.
 */
const withPlannedNames = (
  document: DocumentViewReply | null,
  plan: DocumentViewReply | null,
): DocumentViewReply | null =>
  document && {
    ...document,
    lines: document.lines.map((line) => {
      const planned = plan?.lines.find((one) => isSameLine(one, line));
      return planned === undefined
        ? line
        : {
            ...line,
            item: line.item ?? planned.item,
            account: line.account ?? planned.account,
            customer: line.customer ?? planned.customer,
          };
    }),
  };

const forms = { invoice: 'invoice', purchase_order: 'purchase_order', expense_report: 'bill' } as const;

/** Returns the PSA's document in the form of a preview, for a document without a plan. */
const viewOfSource = (source: SourceReply, kind: SubmittableKind): DocumentViewReply => ({
  form: forms[kind],
  party: source.party ?? '',
  number: source.number,
  date: source.date,
  due: source.due,
  terms: null,
  currency: null,
  lines: source.lines.map((line) => ({
    ...line,
    description: line.description === '' ? 'No description' : line.description,
    item: null,
    account: null,
    class: null,
    tax: null,
    customer: null,
  })),
  // The total includes tax.
  subtotal: minus(decimal(source.total), decimal(source.tax)),
  tax: source.tax,
  tax_known: true,
  total: source.total,
  source: null,
});
