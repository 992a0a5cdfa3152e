import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { resetPassword } from '#contract/calls/auth.ts';
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
import { fieldsOf } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { useTabTitle } from '../../components/tab-title.ts';

/** The email address is unknown here; the server also checks the password against it. */
const circumstances = { email: '' };

/** Sets a new password with the token of an emailed link. */
export function Component() {
  useTabTitle('Reset password');
  const token = useLinkToken('/password');
  const [chosen, setChosen] = useState(emptyPassword);
  const change = useMutation({
    mutationFn: () => {
      clearErrors();
      if (chosen.password !== chosen.confirmation)
        throw new CallError('', { status: 400, fields: { password: passwordsDiffer } });
      return call(resetPassword, { body: { token: token ?? '', password: chosen.password } });
    },
    onSuccess: () => setChosen(emptyPassword),
  });
  const submit = () => meetsPasswordRules(chosen, circumstances) && change.mutate();
  const fieldError = fieldsOf(change.error)['password'];
  const isOver = token === null || (change.error instanceof CallError && change.error.code === 'link_expired');

  if (change.isSuccess)
    return (
      <CenteredCard title="Set your password.">
        <Notice tone="ok" role="status">
          Your password was changed successfully.
        </Notice>
        <Link to="/login">Please Login</Link>
      </CenteredCard>
    );
  return (
    <CenteredCard title="Set your password." onSubmit={submit} isBusy={change.isPending}>
      {(isOver || (change.error !== null && fieldError === undefined)) && (
        <Notice tone="bad" role="alert" action={isOver && <Link to="/forgot-password">Get a new link</Link>}>
          {token === null ? 'This link is incomplete.' : change.error?.message}
        </Notice>
      )}
      <NewPasswordFields
        value={chosen}
        onChange={(value) => {
          setChosen(value);
          if (fieldError !== undefined) change.reset();
        }}
        circumstances={circumstances}
        error={fieldError ?? null}
      />
      <Button type="submit" disabled={change.isPending || token === null || !meetsPasswordRules(chosen, circumstances)}>
        Save
      </Button>
    </CenteredCard>
  );
}
