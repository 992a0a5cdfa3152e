import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { mailEmailProof } from '#contract/calls/auth.ts';
import { accountQuery, useAction } from '../../data/queries.ts';
import { Notice } from '../../components/notice.tsx';

/** Asks a newly registered user to confirm the email address. */
export function ConfirmEmailNotice() {
  const account = useQuery(accountQuery());
  const mail = useAction(mailEmailProof, { changes: ['account'] });
  if (account.data === undefined || account.data.email_proved) return null;
  return (
    <Notice
      tone="warning"
      action={
        <Button variant="default" onClick={() => mail.mutate({})} loading={mail.isPending}>
          Send a new link
        </Button>
      }
    >
      Confirm your email address with the link we sent to {account.data.username}. Until then, you cannot post documents
      or invite users.
    </Notice>
  );
}
