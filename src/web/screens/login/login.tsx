import { type FormEvent, useEffect, useRef, useState } from 'react';
import { Link, useNavigate } from '../../lib/router.tsx';
import { login } from '#contract/auth.ts';
import { call, CallError } from '../../lib/call.ts';
import { startSession, useSession } from '../../lib/current-session.ts';
import { type Environment, useEnvironment } from '../../lib/environment.ts';
import { clearErrors } from '../../lib/flash.ts';
import { takePath } from '../../lib/requested-path.ts';
import { CenteredCard, CenteredPage } from '../../ui/centered-card.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useTabTitle } from '../../ui/tab-title.ts';
import { NativeButton } from '../../ui/native-button.tsx';
import { NativeField, NativePasswordField } from '../../ui/native-fields.tsx';
import styles from './login.module.css';
import { loginWords as words } from './words.ts';

interface Credentials {
  readonly username: string;
  readonly password: string;
  /** Of the authenticator app; undefined until it was asked for, or the person chose to enter it. */
  readonly code?: string;
}

interface Attempt {
  readonly isPending: boolean;
  /** Why the last one failed; null before one did. */
  readonly error: Error | null;
}

/** Signs in, then goes to where the person wanted to go. */
export function Component() {
  useTabTitle(words.tab);
  const navigate = useNavigate();
  const session = useSession();
  const { demo_users: demoUsers, registration_open: isRegistrationOpen } = useEnvironment();
  const [given, setGiven] = useState<Credentials>({ username: '', password: '' });
  const first = useRef<HTMLInputElement>(null);
  const second = useRef<HTMLInputElement>(null);

  const [attempt, setAttempt] = useState<Attempt>({ isPending: false, error: null });
  const logIn = async (credentials: Credentials): Promise<void> => {
    clearErrors();
    setAttempt({ isPending: true, error: null });
    try {
      if (credentials.username.trim() === '' || credentials.password === '')
        throw new CallError(words.missing, { status: 400 });
      const { data } = await call(login, { body: credentials });
      startSession(data.token);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      setAttempt({ isPending: false, error });
      const code = error instanceof CallError ? error.code : '';
      if (code === 'code_required') return setGiven({ ...credentials, code: '' });
      (given.username.trim() === '' ? first : second).current?.focus();
    }
  };
  useEffect(() => first.current?.focus(), []);
  // A person who is signed in already, perhaps in another tab, has nothing to do here.
  useEffect(() => {
    if (session !== null) void navigate(takePath(), { replace: true });
  }, [session, navigate]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    void logIn(given);
  };
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
  const fields = attempt.error instanceof CallError ? attempt.error.fields : {};
  const isWrong = attempt.error instanceof CallError && attempt.error.code === 'credentials_wrong';
  // Offered to everybody alike: the server does not say whose login has a second step.
  const enterCode = () => {
    setAttempt({ isPending: false, error: null });
    setGiven({ ...given, code: '' });
  };
  const hasFieldErrors = fields['username'] !== undefined || fields['password'] !== undefined;

  return (
    <CenteredPage>
      <CenteredCard title={words.title} onSubmit={submit} isBusy={attempt.isPending}>
        {attempt.error !== null && !hasFieldErrors && (
          <Notice
            tone={isWrong ? 'warning' : 'bad'}
            role="alert"
            action={
              isWrong && (
                <button type="button" className={styles.back} onClick={enterCode}>
                  {words.enterCode}
                </button>
              )
            }
          >
            {attempt.error.message} {isWrong && words.wrong}
          </Notice>
        )}
        <NativeField
          ref={first}
          label={words.username}
          name="username"
          type="email"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          value={given.username}
          onChange={(event) => setGiven({ ...given, username: event.currentTarget.value })}
          error={fields['username']}
        />
        <NativePasswordField
          ref={second}
          label={words.password}
          name="password"
          autoComplete="current-password"
          revealLabel={words.showPassword}
          value={given.password}
          onChange={(event) => setGiven({ ...given, password: event.currentTarget.value })}
          error={fields['password']}
        />
        <NativeButton type="submit" disabled={attempt.isPending}>
          {attempt.isPending ? words.loggingIn : words.login}
        </NativeButton>
        <p className={styles.links}>
          <Link to="/forgot-password">{words.forgot}</Link>
          {isRegistrationOpen && <Link to="/register">{words.register}</Link>}
        </p>
      </CenteredCard>
      {demoUsers.length > 0 && (
        <DemoUsers users={demoUsers} onChoose={(user) => void logIn(user)} isBusy={attempt.isPending} />
      )}
    </CenteredPage>
  );
}

/** The second step, asked for in a browser that was here before, chosen in another: nobody learns whether the password was right. */
function CodeStep({
  username,
  code,
  onCode,
  onSubmit,
  onBack,
  isBusy,
  hasFailed,
  error,
}: {
  username: string;
  code: string;
  onCode: (code: string) => void;
  onSubmit: (event: FormEvent) => void;
  onBack: () => void;
  isBusy: boolean;
  hasFailed: boolean;
  error: Error | null;
}) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    if (error !== null) field.current?.focus();
  }, [error]);
  const isAsking = error instanceof CallError && error.code === 'code_required';
  return (
    <CenteredPage>
      <CenteredCard title={words.codeTitle} lead={username} onSubmit={onSubmit} isBusy={isBusy}>
        {error !== null && !isAsking && (
          <Notice tone="bad" role="alert">
            {hasFailed ? words.wrongCode : error.message}
          </Notice>
        )}
        <NativeField
          ref={field}
          label={words.code}
          description={words.codeHelp}
          name="code"
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          value={code}
          onChange={(event) => onCode(event.currentTarget.value)}
        />
        <NativeButton type="submit" disabled={isBusy || code.trim() === ''}>
          {isBusy ? words.loggingIn : words.login}
        </NativeButton>
        <p className={styles.links}>
          <button type="button" className={styles.back} onClick={onBack}>
            {words.somebodyElse}
          </button>
        </p>
      </CenteredCard>
    </CenteredPage>
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
    <section className={styles.demo} aria-label={words.demoUsers}>
      <p className={styles.demoLead}>{words.demoLead}</p>
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
