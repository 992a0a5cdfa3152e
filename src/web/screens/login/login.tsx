import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { login } from '#contract/calls/auth.ts';
import { beginProviderSignIn } from '#contract/calls/sign-in-provider.ts';
import { call, CallError } from '../../data/call.ts';
import { startSession, useSession } from '../../data/current-session.ts';
import { type Environment, useEnvironment } from '../../data/environment.ts';
import { clearErrors } from '../../components/flash.ts';
import { takePath } from '../../data/requested-path.ts';
import { CenteredCard } from '../../components/centered-card.tsx';
import { fieldsOf } from '../../components/form.tsx';
import { Notice } from '../../components/notice.tsx';
import { useTabTitle } from '../../components/tab-title.ts';
import { PasswordField } from '../../components/password-field.tsx';
import styles from './login.module.css';

interface Credentials {
  readonly username: string;
  readonly password: string;
  /** From the authenticator app; undefined before the code step. */
  readonly code?: string;
}

interface Attempt {
  readonly isPending: boolean;

  readonly error: Error | null;
}

/** Logs the user in, then opens the requested page. */
export function Component() {
  useTabTitle('Login');
  const { demo_users: demoUsers, registration_open: isRegistrationOpen } = useEnvironment();
  const { given, setGiven, attempt, setAttempt, logIn, goToProvider, first, second } = useLogin();
  const submit = () => void logIn(given);
  if (given.code !== undefined)
    return (
      <CodeStep
        username={given.username}
        code={given.code}
        onCode={(code) => setGiven({ ...given, code })}
        onSubmit={submit}
        onBack={() => {
          setAttempt({ isPending: false, error: null });
          setGiven({ username: given.username, password: '' });
        }}
        isBusy={attempt.isPending}
        hasFailed={attempt.error instanceof CallError && attempt.error.code === 'credentials_wrong'}
        error={attempt.error}
      />
    );
  const fields = fieldsOf(attempt.error);
  const isWrong = attempt.error instanceof CallError && attempt.error.code === 'credentials_wrong';
  // Offered after every failure, because the server does not reveal which users have two-step login.
  const enterCode = () => {
    setAttempt({ isPending: false, error: null });
    setGiven({ ...given, code: '' });
  };
  const hasFieldErrors = fields['username'] !== undefined || fields['password'] !== undefined;

  return (
    <CenteredCard
      title="Log in to Tallybridge"
      onSubmit={submit}
      isBusy={attempt.isPending}
      below={
        demoUsers.length > 0 && (
          <DemoUsers users={demoUsers} onChoose={(user) => void logIn(user)} isBusy={attempt.isPending} />
        )
      }
    >
      {attempt.error !== null && !hasFieldErrors && (
        <FailedLogin message={attempt.error.message} isWrong={isWrong} onEnterCode={enterCode} />
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
      <PasswordField
        ref={second}
        label="Password"
        name="password"
        autoComplete="current-password"
        value={given.password}
        onChange={(event) => setGiven({ ...given, password: event.currentTarget.value })}
        error={fields['password']}
      />
      <Button type="submit" disabled={attempt.isPending}>
        {attempt.isPending ? 'Logging in...' : 'Login'}
      </Button>
      <Button variant="default" disabled={attempt.isPending} onClick={() => void goToProvider()}>
        Sign in with Microsoft or Google
      </Button>
      <Group component="p" gap="md" align="stretch" justify="space-between" wrap="nowrap" m={0} fz="sm" lh="sm">
        <Link to="/forgot-password">Forgot your password?</Link>
        {isRegistrationOpen && <Link to="/register">Register</Link>}
      </Group>
    </CenteredCard>
  );
}

/** The input and the last attempt; opens the requested page once the user is logged in. */
function useLogin() {
  const navigate = useNavigate();
  const session = useSession();
  const [given, setGiven] = useState<Credentials>({ username: '', password: '' });
  const first = useRef<HTMLInputElement>(null);
  const second = useRef<HTMLInputElement>(null);

  const [attempt, setAttempt] = useState<Attempt>({ isPending: false, error: null });
  const logIn = async (credentials: Credentials): Promise<void> => {
    setAttempt({ isPending: true, error: null });
    const error = await failureOf(credentials);
    if (error === null) return;
    setAttempt({ isPending: false, error });
    if (error instanceof CallError && error.code === 'code_required') return setGiven({ ...credentials, code: '' });
    (given.username.trim() === '' ? first : second).current?.focus();
  };
  /** Opens the login page of the company’s provider, which depends on the domain of the username. */
  const goToProvider = async (): Promise<void> => {
    clearErrors();
    setAttempt({ isPending: true, error: null });
    try {
      const { data } = await call(beginProviderSignIn, { body: { username: given.username } });
      window.location.assign(data.url);
    } catch (error) {
      setAttempt({ isPending: false, error: error instanceof Error ? error : new Error(String(error)) });
      first.current?.focus();
    }
  };
  useEffect(() => first.current?.focus(), []);
  // The user may have logged in in another tab.
  useEffect(() => {
    if (session !== null) void navigate(takePath(), { replace: true });
  }, [session, navigate]);
  return { given, setGiven, attempt, setAttempt, logIn, goToProvider, first, second };
}

/** Logs in; returns the error if that fails. */
async function failureOf(credentials: Credentials): Promise<Error | null> {
  clearErrors();
  try {
    if (credentials.username.trim() === '' || credentials.password === '')
      throw new CallError('Credentials not provided.', { status: 400 });
    const { data } = await call(login, { body: credentials });
    startSession(data.token);
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

interface FailedLoginProps {
  message: string;
  isWrong: boolean;
  onEnterCode: () => void;
}

function FailedLogin({ message, isWrong, onEnterCode }: FailedLoginProps) {
  return (
    <Notice
      tone={isWrong ? 'warning' : 'bad'}
      role="alert"
      action={
        isWrong && (
          <Anchor component="button" type="button" underline="always" onClick={onEnterCode}>
            Enter a code
          </Anchor>
        )
      }
    >
      {message} {isWrong && 'The username or password is wrong, or a code is missing.'}
    </Notice>
  );
}

interface CodeStepProps {
  username: string;
  code: string;
  onCode: (code: string) => void;
  onSubmit: () => void;
  onBack: () => void;
  isBusy: boolean;
  hasFailed: boolean;
  error: Error | null;
}

/**
 * The code step of a login. Users can also open it after a failed login, so that it does not reveal whether the password
 * was right.
 */
function CodeStep({ username, code, onCode, onSubmit, onBack, isBusy, hasFailed, error }: CodeStepProps) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (error !== null) field.current?.focus();
  }, [error]);
  const isAsking = error instanceof CallError && error.code === 'code_required';
  return (
    <CenteredCard title="Enter your code" lead={username} onSubmit={onSubmit} isBusy={isBusy}>
      {error !== null && !isAsking && (
        <Notice tone="bad" role="alert">
          {hasFailed
            ? 'The username, password or code is wrong. Each code works once; wait for the next one.'
            : error.message}
        </Notice>
      )}
      <TextInput
        ref={field}
        label="Code"
        description="From your authenticator app. Without your phone, enter a recovery code."
        name="code"
        autoComplete="one-time-code"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={64}
        value={code}
        onChange={(event) => onCode(event.currentTarget.value)}
      />
      <Button type="submit" disabled={isBusy || code.trim() === ''}>
        {isBusy ? 'Logging in...' : 'Login'}
      </Button>
      <Group component="p" gap="md" align="stretch" justify="space-between" wrap="nowrap" m={0} fz="sm" lh="sm">
        <Anchor component="button" type="button" onClick={onBack}>
          Log in as another user
        </Anchor>
      </Group>
    </CenteredCard>
  );
}

interface DemoUsersProps {
  users: Environment['demo_users'];
  onChoose: (user: Credentials) => void;
  isBusy: boolean;
}

/** Logs in as a demo user with one click. */
function DemoUsers({ users, onChoose, isBusy }: DemoUsersProps) {
  return (
    <Stack
      component="section"
      gap={6}
      w="min(380px, 100%)"
      p="md"
      bd="1px dashed var(--tb-border-strong)"
      bdrs={12}
      aria-label="Demo users"
    >
      <Text c="dimmed" size="sm">
        This demo has sample data. Log in as:
      </Text>
      {users.map(({ username, password, label }) => (
        <button
          key={username}
          type="button"
          className={styles.demoUser}
          disabled={isBusy}
          onClick={() => onChoose({ username, password })}
        >
          <Text span fw={600} size="sm">
            {label}
          </Text>
          <Text span c="dimmed" size="xs" style={{ overflowWrap: 'anywhere' }}>
            {username}
          </Text>
        </button>
      ))}
    </Stack>
  );
}
