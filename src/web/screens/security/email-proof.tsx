import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { mailEmailProof } from '#contract/auth.ts';
import { accountQuery, useAction } from '../../lib/queries.ts';
import { Notice } from '../../ui/notice.tsx';

/** Asks whoever registered to confirm their address; nothing once they have. */
export function EmailProof() {
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
      Confirm your email address: open the link in the mail to {account.data.username}. Until then nothing is posted to
      your books, and nobody can be invited.
    </Notice>
  );
}
