import { Button, Stack, Text } from '@mantine/core';
import type * as registerRoutes from '#contract/register.ts';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { login } from '#contract/calls/auth.ts';
import type { DataOf } from '#contract/define.ts';
import { completeRegistration, validatePsaAccess, validatePsaResource } from '#contract/calls/register.ts';
import { isTimeZone } from '#core/values/dates.ts';
import { call, CallError } from '../../data/call.ts';
import { startSession, useSession } from '../../data/current-session.ts';
import { type Environment, useEnvironment } from '../../data/environment.ts';
import { clearErrors, showError } from '../../components/flash.ts';
import { CenteredCard } from '../../components/centered-card.tsx';
import { emptyPassword, passwordsDiffer } from '../../components/new-password.tsx';
import { useTabTitle } from '../../components/tab-title.ts';
import { type Access, AccessStep, PasswordStep, type Person, PersonStep } from './steps.tsx';

const noAccess: Access = { api_user: '', api_secret: '' };
const noPerson: Person = { first_name: '', last_name: '', email: '' };

/** Returns the browser’s time zone as the company’s initial time zone; empty if unknown. */
function browserTimeZone(): { readonly time_zone?: string } {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return isTimeZone(timeZone) ? { time_zone: timeZone } : {};
}

/**
 * Registers a company and its first user in three steps. The input exists only in the state of this component, so that no
 * cache stores the secret.
 */
export function Component() {
  useTabTitle('Register');
  const { psa, demo_registration: demo } = useEnvironment();
  const navigate = useNavigate();
  const session = useSession();
  const [access, setAccess] = useState(noAccess);
  const [company, setCompany] = useState<DataOf<typeof registerRoutes.validatePsaAccess>['company'] | null>(null);
  const [person, setPerson] = useState(noPerson);
  const [resource, setResource] = useState<DataOf<typeof registerRoutes.validatePsaResource>['resource'] | null>(null);
  const [chosen, setChosen] = useState(emptyPassword);

  const connect = useMutation({
    mutationFn: async () => {
      clearErrors();
      const { company: found, is_registered: isRegistered } = (await call(validatePsaAccess, { body: access })).data;
      if (isRegistered === true)
        throw new Error(
          `“${found.companyName}” is already registered. Log in, or ask an administrator of your company to invite you.`,
        );
      return found;
    },
    onSuccess: (found) => setCompany(found),
  });
  const verify = useMutation({
    mutationFn: () => {
      clearErrors();
      return call(validatePsaResource, { body: { ...access, ...person } });
    },
    onSuccess: ({ data }) => setResource(data.resource),
  });
  const create = useMutation({
    mutationFn: async () => {
      clearErrors();
      if (company === null || resource === null) throw new Error('Impossible: step 3 without steps 1 and 2');
      const { password, confirmation } = chosen;
      if (password !== confirmation)
        throw new CallError(passwordsDiffer, { status: 0, code: 'mismatch', fields: { password: passwordsDiffer } });
      await call(completeRegistration, { body: { ...access, ...person, company, password, ...browserTimeZone() } });
      setAccess(noAccess);
      setChosen(emptyPassword);
      try {
        startSession((await call(login, { body: { username: resource.email, password } })).data.token);
      } catch {
        void navigate('/login', { state: { notice: 'Your account was created. Please log in.' } });
      }
    },
    onError: (error) => {
      if (error instanceof CallError && error.code === 'mismatch') return;
      showError('Unable to complete registration.', error.message === '' ? null : `Reason: ${error.message}`);
    },
  });
  // After the registration, and for users who are already logged in, the next step is to connect.
  useEffect(() => {
    if (session !== null) void navigate('/connections', { replace: true });
  }, [session, navigate]);

  const startOver = () => {
    setCompany(null);
    setResource(null);
    setChosen(emptyPassword);
    for (const one of [connect, verify, create]) one.reset();
  };
  if (session !== null) return null;
  return (
    <CenteredCard
      title="Register"
      lead={`Connect your company’s ${psa.label}, verify your user, and choose a password.`}
      isWide
    >
      {demo !== null && company === null && (
        <DemoCompany
          demo={demo}
          isBusy={connect.isPending}
          onFill={() => {
            setAccess({ api_user: demo.api_user, api_secret: demo.api_secret });
            setPerson({ first_name: demo.first_name, last_name: demo.last_name, email: demo.email });
          }}
        />
      )}
      <AccessStep
        value={access}
        onChange={setAccess}
        companyName={company?.companyName ?? null}
        psaLabel={psa.label}
        isBusy={connect.isPending}
        error={connect.error}
        onSubmit={() => connect.mutate()}
        onUndo={startOver}
      />
      <PersonStep
        value={person}
        onChange={setPerson}
        isOpen={company !== null}
        isFound={resource !== null}
        psaLabel={psa.label}
        isBusy={verify.isPending}
        error={verify.error}
        onSubmit={() => verify.mutate()}
        onUndo={() => {
          setResource(null);
          create.reset();
        }}
      />
      <PasswordStep
        value={chosen}
        onChange={(value) => {
          setChosen(value);
          if (create.isError) create.reset();
        }}
        email={resource?.email ?? null}
        isBusy={create.isPending || create.isSuccess}
        error={create.error}
        onSubmit={() => create.mutate()}
      />
      <Link to="/login">Back to Login</Link>
    </CenteredCard>
  );
}

/** In the demo, one company is not registered yet; its API user is public. */
function DemoCompany({
  demo,
  isBusy,
  onFill,
}: {
  demo: NonNullable<Environment['demo_registration']>;
  isBusy: boolean;
  onFill: () => void;
}) {
  return (
    <Stack
      component="section"
      gap="sm"
      align="flex-start"
      px="md"
      py={12}
      bd="1px dashed var(--tb-border-strong)"
      bdrs="md"
      c="soft"
      fz="sm"
      aria-label="Demo company"
    >
      <Text inherit>
        {demo.company} is not registered yet. API user: {demo.api_user}, secret: {demo.api_secret}. User:{' '}
        {demo.first_name} {demo.last_name}.
      </Text>
      <Button size="xs" variant="default" disabled={isBusy} onClick={onFill}>
        Fill in {demo.company}
      </Button>
    </Stack>
  );
}
