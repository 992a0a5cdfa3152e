import { Button } from '@mantine/core';
import { Link, useNavigate } from 'react-router';
import type { DocumentReply } from '#contract/documents.ts';
import { Icon } from '../../components/icons.tsx';
import { type RowAction, RowMenu } from '../../components/row-menu.tsx';
import { useSession } from '../../data/current-session.ts';
import { useEnvironment } from '../../data/environment.ts';
import { useReadOnly } from '../../data/use-read-only.ts';
import { useTestAgain } from '../needs-attention/use-test-again.ts';
import { useOpenReview } from '../runs/open-run.ts';
import { type NextAction, nextActionOf } from './next-action.ts';
import { titleOf } from './texts.ts';

/** The one next action for a document, and the others in a menu. */
export function Actions({ document }: { document: DocumentReply }) {
  const { psa, accounting } = useEnvironment();
  const navigate = useNavigate();
  const isAdmin = useSession()?.claims.roles.includes('clientadmin') === true;
  const isReadOnly = useReadOnly();
  const test = useTestAgain();
  const review = useTestAgain(useOpenReview());
  const next = nextActionOf(document, { isAdmin, psa: psa.label, accounting: accounting.short_label });
  const { type, entityid, pages } = document;
  const visit = (label: string, href: string | null): readonly RowAction[] =>
    href === null || (next?.do === 'visit' && next.href === href)
      ? []
      : [
          {
            label: `Open in ${label}`,
            icon: 'external',
            onChoose: () => window.open(href, '_blank', 'noopener,noreferrer'),
          },
        ];
  const others: readonly RowAction[] = [
    ...(isAdmin && !isReadOnly && document.state !== 'syncing'
      ? [{ label: 'Test', icon: 'refresh', onChoose: () => test.testAgain([{ type, entityid }]) } as const]
      : []),
    ...visit(psa.label, pages.psa),
    ...visit(accounting.short_label, pages.accounting),
    { label: 'All log entries', icon: 'logs', onChoose: () => void navigate(`/logs?type=${type}&q=${entityid}`) },
  ];
  return (
    <>
      {next !== null && (
        <Next
          next={next}
          isDisabled={isReadOnly}
          isBusy={review.isPending}
          onReview={() => review.testAgain([{ type, entityid }])}
        />
      )}
      <RowMenu label={`Other actions for ${titleOf(document)}`} actions={others} />
    </>
  );
}

interface NextProps {
  next: NextAction;
  isDisabled: boolean;
  isBusy: boolean;
  onReview: () => void;
}

function Next({ next, isDisabled, isBusy, onReview }: NextProps) {
  if (next.do === 'open')
    return (
      <Button component={Link} to={next.to}>
        {next.label}
      </Button>
    );
  if (next.do === 'review')
    return (
      <Button disabled={isDisabled} loading={isBusy} onClick={onReview}>
        {next.label}
      </Button>
    );
  return (
    <Button
      component="a"
      href={next.href}
      target="_blank"
      rel="noopener noreferrer"
      variant="default"
      rightSection={<Icon name="external" size={14} />}
    >
      {next.label}
    </Button>
  );
}
