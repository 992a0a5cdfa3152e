import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link } from 'react-router';
import { forgotPassword } from '#contract/calls/auth.ts';
import { call, CallError } from '../../data/call.ts';
import { useEnvironment } from '../../data/environment.ts';
import { clearErrors } from '../../components/flash.ts';
import { CenteredCard } from '../../components/centered-card.tsx';
import { fieldsOf, FormError } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { useTabTitle } from '../../components/tab-title.ts';

/** Requests a link to set a new password. The result looks the same for unknown addresses. */
export function Component() {
  useTabTitle('Forgot password');
  const { is_demo: isDemo } = useEnvironment();
  const [email, setEmail] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const request = useMutation({
    mutationFn: () => {
      clearErrors();
      if (email.trim() === '') throw new CallError('', { status: 400, fields: { email: 'Enter your email address.' } });
      return call(forgotPassword, { body: { email: email.trim() } });
    },
    onError: () => field.current?.focus(),
  });
  useEffect(() => field.current?.focus(), []);

  if (request.isSuccess)
    return (
      <CenteredCard title="Check your email">
        <Notice tone="info" role="status">
          {request.data.message} The link works once, for 30 minutes.
        </Notice>
        {isDemo && (
          <Notice tone="warning" action={<a href="/demo/mails">View demo emails</a>}>
            This is a demo without a mail server.
          </Notice>
        )}
        <Link to="/login">Back to Login</Link>
      </CenteredCard>
    );
  return (
    <CenteredCard
      title="Forgot your password?"
      lead="Enter your email address. We will send you a link to set a new password."
      onSubmit={() => request.mutate()}
      isBusy={request.isPending}
    >
      <FormError error={request.error} />
      <TextInput
        ref={field}
        label="Email"
        name="email"
        type="email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={254}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={fieldsOf(request.error)['email']}
      />
      <Button type="submit" disabled={request.isPending}>
        {request.isPending ? 'Requesting Reset...' : 'Reset Password'}
      </Button>
      <Link to="/login">Back to Login</Link>
    </CenteredCard>
  );
}
