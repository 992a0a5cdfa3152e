import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { login } from '#contract/auth.ts';
import { call, CallError } from '../../lib/call.ts';
import { startSession, useSession } from '../../lib/current-session.ts';
import { type Environment, useEnvironment } from '../../lib/environment.ts';
import { clearFlash } from '../../lib/flash.ts';
import { takePath } from '../../lib/requested-path.ts';
import { FrontCard, FrontPlace } from '../../ui/front-card.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useTabTitle } from '../../ui/page.tsx';
import styles from './login.module.css';

interface Credentials {
  readonly username: string;
  readonly password: string;
}

const missing = 'Credentials not provided.';

/** Signs in, then goes to where the person wanted to go. */
export function Component() {
  useTabTitle('Login');
  const navigate = useNavigate();
  const session = useSession();
  const { demo_users: demoUsers } = useEnvironment();
  const [given, setGiven] = useState<Credentials>({ username: '', password: '' });
  const first = useRef<HTMLInputElement>(null);
  const second = useRef<HTMLInputElement>(null);

  const attempt = useMutation({
    mutationFn: (credentials: Credentials) => {
      clearFlash();
      if (credentials.username.trim() === '' || credentials.password === '')
        throw new CallError(missing, { status: 400 });
      return call(login, { body: credentials });
    },
    onSuccess: ({ data }) => startSession(data.token),
    onError: () => (given.username.trim() === '' ? first : second).current?.focus(),
  });
  useEffect(() => first.current?.focus(), []);
  // Whoever is signed in already, perhaps in another tab, has nothing to do here.
  useEffect(() => {
    if (session !== null) void navigate(takePath(), { replace: true });
  }, [session, navigate]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    attempt.mutate(given);
  };
  const fields = attempt.error instanceof CallError ? attempt.error.fields : {};
  const hasFieldErrors = fields['username'] !== undefined || fields['password'] !== undefined;

  return (
    <FrontPlace>
      <FrontCard title="Log in to Tallybridge" onSubmit={submit} isBusy={attempt.isPending}>
        {attempt.error !== null && !hasFieldErrors && (
          <Notice tone="bad" role="alert">
            {attempt.error.message}
          </Notice>
        )}
        <TextInput
          ref={first}
          label="Username"
          name="username"
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          value={given.username}
          onChange={(event) => setGiven({ ...given, username: event.currentTarget.value })}
          error={fields['username']}
        />
        <PasswordInput
          ref={second}
          label="Password"
          name="password"
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
          value={given.password}
          onChange={(event) => setGiven({ ...given, password: event.currentTarget.value })}
          error={fields['password']}
        />
        <Button type="submit" disabled={attempt.isPending}>
          {attempt.isPending ? 'Logging in...' : 'Login'}
        </Button>
        <p className={styles.links}>
          <Link to="/forgot-password">Forgot your password?</Link>
          <Link to="/register">Register</Link>
        </p>
      </FrontCard>
      {demoUsers.length > 0 && (
        <DemoUsers users={demoUsers} onChoose={(user) => attempt.mutate(user)} isBusy={attempt.isPending} />
      )}
    </FrontPlace>
  );
}

/** On a demonstration the users are no secret: one click signs in as one of them. */
function DemoUsers({
  users,
  onChoose,
  isBusy,
}: {
  users: Environment['demo_users'];
  onChoose: (user: Credentials) => void;
  isBusy: boolean;
}) {
  return (
    <section className={styles.demo} aria-label="Demo users">
      <p className={styles.demoLead}>A demonstration with made-up data. Log in as:</p>
      {users.map(({ username, password, label }) => (
        <button
          key={username}
          type="button"
          className={styles.demoUser}
          disabled={isBusy}
          onClick={() => onChoose({ username, password })}
        >
          <span className={styles.demoLabel}>{label}</span>
          <span className={styles.demoName}>{username}</span>
        </button>
      ))}
    </section>
  );
}
