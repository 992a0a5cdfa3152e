import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { acceptInvitation, readInvitation } from '#contract/calls/users.ts';
import { call, CallError } from '../../data/call.ts';
import { clearErrors } from '../../components/flash.ts';
import { useLinkToken } from '../../data/link-token.ts';
import { CenteredCard } from '../../components/centered-card.tsx';
import {
  meetsPasswordRules,
  NewPasswordFields,
  emptyPassword,
  passwordsDiffer,
} from '../../components/new-password.tsx';
import { fieldsOf, FormError } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { useTabTitle } from '../../components/tab-title.ts';
import { Skeleton } from '../../components/states.tsx';

/** Shows the invitation and creates the account with the chosen password. */
export function Component() {
  useTabTitle('Accept an invitation');
  const token = useLinkToken('/invitation');
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: async ({ signal }) => (await call(readInvitation, { body: { token: token ?? '' } }, signal)).data,
    enabled: token !== null,
    staleTime: Infinity,
    gcTime: 0,
  });
  const [isDone, setDone] = useState(false);

  if (isDone)
    return (
      <CenteredCard title="Welcome">
        <Notice tone="ok" role="status">
          {`Your account is ready. Your username is ${invitation.data?.email ?? ''}.`}
        </Notice>
        <Link to="/login">Please Login</Link>
      </CenteredCard>
    );
  if (token === null || invitation.isError)
    return (
      <CenteredCard title="Invitation unavailable">
        <Notice tone="bad" role="alert">
          {token === null ? 'This link is incomplete. Open it from the email again.' : invitation.error?.message}
        </Notice>
        {invitation.error instanceof CallError && invitation.error.code !== 'link_expired' && (
          <Button variant="default" onClick={() => void invitation.refetch()}>
            Try again
          </Button>
        )}
        <Link to="/login">Go to Login</Link>
      </CenteredCard>
    );
  if (invitation.data === undefined)
    return (
      <CenteredCard title="Accept an invitation" isBusy>
        <Skeleton width="80%" height={14} />
        <Skeleton width="100%" height={34} />
        <Skeleton width="100%" height={34} />
        <Skeleton width="100%" height={34} />
      </CenteredCard>
    );
  return (
    <Form token={token} email={invitation.data.email} client={invitation.data.client} onDone={() => setDone(true)} />
  );
}

function Form({ token, email, client, onDone }: { token: string; email: string; client: string; onDone: () => void }) {
  const [chosen, setChosen] = useState(emptyPassword);
  const accept = useMutation({
    mutationFn: () => {
      clearErrors();
      if (chosen.password !== chosen.confirmation)
        throw new CallError('', { status: 400, fields: { password: passwordsDiffer } });
      return call(acceptInvitation, { body: { token, password: chosen.password } });
    },
    onSuccess: () => {
      setChosen(emptyPassword);
      onDone();
    },
  });
  const submit = () => meetsPasswordRules(chosen, { email }) && accept.mutate();
  const fieldError = fieldsOf(accept.error)['password'];
  return (
    <CenteredCard
      title={`Join ${client}`}
      lead="Choose a password to create your account."
      onSubmit={submit}
      isBusy={accept.isPending}
    >
      <FormError error={accept.error} />
      <TextInput label="Username" name="username" type="email" autoComplete="username" value={email} readOnly />
      <NewPasswordFields
        value={chosen}
        onChange={(value) => {
          setChosen(value);
          if (fieldError !== undefined) accept.reset();
        }}
        circumstances={{ email }}
        error={fieldError ?? null}
      />
      <Button type="submit" disabled={accept.isPending || !meetsPasswordRules(chosen, { email })}>
        Create account
      </Button>
    </CenteredCard>
  );
}
