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
import { emptyPassword, type NewPassword, passwordsDiffer } from '../../components/new-password.tsx';
import { useTabTitle } from '../../components/tab-title.ts';
import { useCallForm } from '../../components/use-call-form.ts';
import { AccessStep, noAccess, noPerson, PasswordStep, PersonStep } from './steps.tsx';

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
  const session = useSession();
  const { company, resource, access, person, chosen, connect, verify, create, startOver, leavePerson } =
    useRegistration();
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
            access.setValues({ api_user: demo.api_user, api_secret: demo.api_secret });
            person.setValues({ first_name: demo.first_name, last_name: demo.last_name, email: demo.email });
          }}
        />
      )}
      <AccessStep
        form={access}
        companyName={company?.companyName ?? null}
        psaLabel={psa.label}
        apiUserSteps={psa.api_user_steps}
        onSubmit={() => connect.mutate(access.values)}
        onUndo={startOver}
      />
      <PersonStep
        form={person}
        isOpen={company !== null}
        isFound={resource !== null}
        psaLabel={psa.label}
        onSubmit={() => verify.mutate(person.values)}
        onUndo={leavePerson}
      />
      <PasswordStep
        form={chosen}
        email={resource?.email ?? null}
        isBusy={create.isPending || create.isSuccess}
        onSubmit={() => create.mutate(chosen.values.password)}
      />
      <Link to="/login">Back to Login</Link>
    </CenteredCard>
  );
}

/** The input and the calls of the three steps. After the registration, the next step is to connect. */
function useRegistration() {
  const navigate = useNavigate();
  const session = useSession();
  const [company, setCompany] = useState<DataOf<typeof registerRoutes.validatePsaAccess>['company'] | null>(null);
  const [resource, setResource] = useState<DataOf<typeof registerRoutes.validatePsaResource>['resource'] | null>(null);

  const connect = useMutation({
    mutationFn: async (body: typeof noAccess) => {
      clearErrors();
      const { company: found, is_registered: isRegistered } = (await call(validatePsaAccess, { body })).data;
      if (isRegistered === true)
        throw new Error(
          `“${found.companyName}” is already registered. Log in, or ask an administrator of your company to invite you.`,
        );
      return found;
    },
    onSuccess: (found) => setCompany(found),
  });
  const access = useCallForm(noAccess, connect);
  const verify = useMutation({
    mutationFn: (person: typeof noPerson) => {
      clearErrors();
      return call(validatePsaResource, { body: { ...access.values, ...person } });
    },
    onSuccess: ({ data }) => setResource(data.resource),
  });
  const person = useCallForm(noPerson, verify);
  const create = useMutation({
    mutationFn: async ({ password, confirmation }: NewPassword): Promise<void> => {
      clearErrors();
      if (company === null || resource === null) throw new Error('Impossible: step 3 without steps 1 and 2');
      if (password !== confirmation)
        throw new CallError(passwordsDiffer, { status: 0, code: 'mismatch', fields: { password: passwordsDiffer } });
      await call(completeRegistration, {
        body: { ...access.values, ...person.values, company, password, ...browserTimeZone() },
      });
      access.reset();
      chosen.reset();
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
  const chosen = useCallForm({ email: '', password: emptyPassword }, create);
  // After the registration, and for users who are already logged in, the next step is to connect.
  useEffect(() => {
    if (session !== null) void navigate('/connections', { replace: true });
  }, [session, navigate]);

  const startOver = () => {
    setCompany(null);
    setResource(null);
    chosen.reset();
    for (const one of [connect, verify, create]) one.reset();
  };
  const leavePerson = () => {
    setResource(null);
    create.reset();
  };
  return { company, resource, access, person, chosen, connect, verify, create, startOver, leavePerson };
}

interface DemoCompanyProps {
  demo: NonNullable<Environment['demo_registration']>;
  isBusy: boolean;
  onFill: () => void;
}

/** In the demo, one company is not registered yet; its API user is public. */
function DemoCompany({ demo, isBusy, onFill }: DemoCompanyProps) {
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
