import { TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Link } from '../../lib/router.tsx';
import { forgotPassword } from '#contract/auth.ts';
import { call, CallError } from '../../lib/call.ts';
import { useEnvironment } from '../../lib/environment.ts';
import { clearErrors } from '../../lib/flash.ts';
import { Button } from '../../ui/button.tsx';
import { CenteredCard, CenteredPage } from '../../ui/centered-card.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useTabTitle } from '../../ui/tab-title.ts';
import { forgotPasswordWords } from './words.ts';

/** Asks for a link to set a new password. What is shown afterwards is the same for every address. */
export function Component() {
  useTabTitle(forgotPasswordWords.tab);
  const { is_demo: isDemo } = useEnvironment();
  const [email, setEmail] = useState('');
  const field = useRef<HTMLInputElement>(null);
  const wish = useMutation({
    mutationFn: () => {
      clearErrors();
      if (email.trim() === '')
        throw new CallError('', { status: 400, fields: { email: forgotPasswordWords.enterEmail } });
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
      <CenteredPage>
        <CenteredCard title={forgotPasswordWords.lookIntoYourMailbox}>
          <Notice tone="info" role="status">
            {wish.data.message} {forgotPasswordWords.linkWorks}
          </Notice>
          {isDemo && (
            <Notice tone="warning" action={<a href="/demo/mails">{forgotPasswordWords.seeItsMails}</a>}>
              {forgotPasswordWords.thisIsADemo}
            </Notice>
          )}
          <Link to="/login">{forgotPasswordWords.backToLogin}</Link>
        </CenteredCard>
      </CenteredPage>
    );
  return (
    <CenteredPage>
      <CenteredCard
        title={forgotPasswordWords.forgotYourPassword}
        lead={forgotPasswordWords.tellUsTheEmail}
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
          label={forgotPasswordWords.email}
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
          {wish.isPending ? forgotPasswordWords.requestingReset : forgotPasswordWords.resetPassword}
        </Button>
        <Link to="/login">{forgotPasswordWords.backToLogin}</Link>
      </CenteredCard>
    </CenteredPage>
  );
}
