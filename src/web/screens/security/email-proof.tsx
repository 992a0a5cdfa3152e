import { useQuery } from '@tanstack/react-query';
import { mailEmailProof } from '#contract/auth.ts';
import { accountQuery, useAction } from '../../lib/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { emailProofWords } from './email-proof-words.ts';

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
          {emailProofWords.sendANewLink}
        </Button>
      }
    >
      {emailProofWords.confirmAddress(account.data.username)}
    </Notice>
  );
}
