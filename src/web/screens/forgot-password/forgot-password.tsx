import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Link } from '../../lib/router.tsx';
import { forgotPassword } from '#contract/auth.ts';
import { call, CallError } from '../../lib/call.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { clearFlash } from '../../lib/flash.ts';
import { FrontCard, FrontPlace } from '../../ui/front-card.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useTabTitle } from '../../ui/tab-title.ts';

/** Asks for a link to set a new password. What is shown afterwards is the same for every address. */
export function Component() {
  useTabTitle('Forgot password');
  const { is_demo: isDemo } = useEnvironment();
  const [email, setEmail] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const wish = useMutation({
    mutationFn: () => {
      clearFlash();
      if (email.trim() === '') throw new CallError('', { status: 400, fields: { email: 'Enter your email address.' } });
      return call(forgotPassword, { body: { email: email.trim() } });
    },
    onError: () => field.current?.focus(),
  });
  useEffect(() => field.current?.focus(), []);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    wish.mutate();
  };
  const fieldError = wish.error instanceof CallError ? wish.error.fields['email'] : undefined;

  if (wish.isSuccess)
    return (
      <FrontPlace>
        <FrontCard title="Look into your mailbox">
          <Notice tone="info" role="status">
            {wish.data.message} The link works once, for 30 minutes.
          </Notice>
          {isDemo && (
            <Notice tone="warning" action={<a href="/demo/mails">See its mails</a>}>
              This is a demo without a mail server.
            </Notice>
          )}
          <Link to="/login">Back to Login</Link>
        </FrontCard>
      </FrontPlace>
    );
  return (
    <FrontPlace>
      <FrontCard
        title="Forgot your password?"
        lead="Tell us the email address you log in with, and we mail you a link to set a new password."
        onSubmit={submit}
        isBusy={wish.isPending}
      >
        {wish.error !== null && fieldError === undefined && (
          <Notice tone="bad" role="alert">
            {wish.error.message}
          </Notice>
        )}
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
          error={fieldError}
        />
        <Button type="submit" disabled={wish.isPending}>
          {wish.isPending ? 'Requesting Reset...' : 'Reset Password'}
        </Button>
        <Link to="/login">Back to Login</Link>
      </FrontCard>
    </FrontPlace>
  );
}
