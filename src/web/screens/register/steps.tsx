import { Anchor, Button, Divider, Group, Stack, TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { Form, FormError } from '../../components/form.tsx';
import { screenHelp } from '../../data/help.ts';
import { meetsPasswordRules, type NewPassword, NewPasswordFields } from '../../components/new-password.tsx';
import { Columns } from '../../components/page.tsx';
import { StepMark } from '../../components/step-mark.tsx';
import type { useCallForm } from '../../components/use-call-form.ts';
import { PasswordField } from '../../components/password-field.tsx';
import styles from './register.module.css';

export const noAccess = { api_user: '', api_secret: '' };
export const noPerson = { first_name: '', last_name: '', email: '' };

interface FormProps<Values extends Record<string, unknown>> {
  readonly form: ReturnType<typeof useCallForm<Values>>;
  readonly onSubmit: () => void;
}

/** Step 1: the API user. Its fields lock once the company is found. */
export function AccessStep({
  form: { field, state },
  companyName,
  psaLabel,
  apiUserSteps,
  onSubmit,
  onUndo,
}: FormProps<typeof noAccess> & {
  readonly companyName: string | null;
  readonly psaLabel: string;
  readonly apiUserSteps: readonly string[];
  readonly onUndo: () => void;
}) {
  const isFound = companyName !== null;
  return (
    <Step
      number={1}
      title="Connect API"
      state={isFound ? 'done' : 'open'}
      result={isFound && `Connected to ${companyName}`}
      undo={{ label: 'Use another API user', run: onUndo }}
      onSubmit={onSubmit}
      {...state}
    >
      {!isFound && apiUserSteps.length > 0 && <ApiUserSteps psaLabel={psaLabel} steps={apiUserSteps} />}
      <TextInput
        label="API Key (Username)"
        description="Must be associated with the QuickBooks Online integration vendor."
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={254}
        name="api_user"
        readOnly={isFound}
        {...field('api_user')}
      />
      <PasswordField
        label="API Secret (Password)"
        description="The secret associated with the API user."
        autoComplete="off"
        maxLength={254}
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the secret' }}
        name="api_secret"
        readOnly={isFound}
        {...field('api_secret')}
      />
      {!isFound && (
        <Button type="submit" disabled={state.isBusy}>
          {state.isBusy ? `Checking ${psaLabel}...` : 'Connect'}
        </Button>
      )}
    </Step>
  );
}

/** How to create the API user, in steps with pictures. */
const ApiUserSteps = ({ psaLabel, steps }: { psaLabel: string; steps: readonly string[] }) => (
  <details className={styles.howTo}>
    <summary>How to create the API user in {psaLabel}</summary>
    <ol>
      {steps.map((text, index) => (
        <li key={text}>
          {text}
          <img src={`/help/pictures/api-user-${index + 1}.svg`} alt="" width={720} height={300} loading="lazy" />
        </li>
      ))}
    </ol>
    <Anchor href={screenHelp('/register')} target="_blank">
      Read more
    </Anchor>
  </details>
);

/** Step 2: the user in the PSA. Its fields lock once the resource is found. */
export function PersonStep({
  form: { field, state, values },
  isOpen,
  isFound,
  psaLabel,
  onSubmit,
  onUndo,
}: FormProps<typeof noPerson> & {
  readonly isOpen: boolean;
  readonly isFound: boolean;
  readonly psaLabel: string;
  readonly onUndo: () => void;
}) {
  const nameHint = `as it appears in ${psaLabel}`;
  const first = useFocus(isOpen && !isFound);
  return (
    <Step
      number={2}
      title="Verify User"
      state={isFound ? 'done' : isOpen ? 'open' : 'later'}
      result={isFound && `${values.first_name} ${values.last_name}, ${values.email}`}
      undo={{ label: 'Change user', run: onUndo }}
      onSubmit={onSubmit}
      {...state}
    >
      <Columns min={180}>
        <TextInput
          ref={first}
          label="First Name"
          description={nameHint}
          autoComplete="given-name"
          maxLength={100}
          name="first_name"
          readOnly={isFound}
          {...field('first_name')}
        />
        <TextInput
          label="Last Name"
          description={nameHint}
          autoComplete="family-name"
          maxLength={100}
          name="last_name"
          readOnly={isFound}
          {...field('last_name')}
        />
      </Columns>
      <TextInput
        label="Primary Email Address"
        type="email"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={254}
        name="email"
        readOnly={isFound}
        {...field('email')}
      />
      {!isFound && (
        <Button type="submit" disabled={state.isBusy}>
          {state.isBusy ? `Checking ${psaLabel}...` : 'Verify User'}
        </Button>
      )}
    </Step>
  );
}

/** Step 3: the password for the email address from the PSA. */
export function PasswordStep({
  form: { field, values },
  email,
  isBusy,
  onSubmit,
}: FormProps<{ email: string; password: NewPassword }> & { readonly email: string | null; readonly isBusy: boolean }) {
  const value = values.password;
  const circumstances = { email: email ?? '', needsSpecial: true };
  const first = useFocus(email !== null);
  return (
    <Step
      number={3}
      title="Create Password"
      state={email === null ? 'later' : 'open'}
      onSubmit={() => meetsPasswordRules(value, circumstances) && onSubmit()}
      isBusy={isBusy}
      error={null}
    >
      <TextInput
        label="Email"
        name="username"
        type="email"
        autoComplete="username"
        readOnly
        {...field('email')}
        value={email ?? ''}
      />
      <NewPasswordFields ref={first} circumstances={circumstances} {...field('password')} value={value} />
      <Button type="submit" disabled={isBusy || !meetsPasswordRules(value, circumstances)}>
        {isBusy ? 'Creating Account...' : 'Create Account'}
      </Button>
    </Step>
  );
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly state: 'later' | 'open' | 'done';
  /** The result of the step, once it is done. */
  readonly result?: string | false;
  readonly undo?: { readonly label: string; readonly run: () => void };
  readonly onSubmit: () => void;
  readonly isBusy: boolean;
  readonly error: string | null;
  readonly children: ReactNode;
}

/** A numbered step: visible when it is next, and locked when it is done. */
function Step({ number, title, state, result = false, undo, onSubmit, isBusy, error, children }: StepProps) {
  return (
    <Stack component="section" gap={12} aria-label={`Step ${number} of 3: ${title}`}>
      <Divider mb="xs" />
      <Group
        component="h2"
        gap="sm"
        fz="lg"
        fw={600}
        {...(state === 'later' && { c: 'dimmed' })}
        aria-current={state === 'open' ? 'step' : undefined}
      >
        <span aria-hidden="true">
          <StepMark isDone={state === 'done'} isOpen={state === 'open'}>
            {number}
          </StepMark>
        </span>
        {title}
      </Group>
      {result !== false && state === 'done' && (
        <Group
          component="p"
          justify="space-between"
          align="flex-start"
          wrap="nowrap"
          c="soft"
          style={{ overflowWrap: 'anywhere' }}
          role="status"
        >
          <span>{result}</span>
          {undo !== undefined && (
            <Button variant="subtle" size="compact-sm" flex="none" onClick={undo.run}>
              {undo.label}
            </Button>
          )}
        </Group>
      )}
      {state !== 'later' && (
        <Form
          className={styles.form ?? ''}
          isBusy={isBusy}
          onSubmit={() => {
            if (state === 'open' && !isBusy) onSubmit();
          }}
        >
          <FormError error={error} />
          {children}
        </Form>
      )}
    </Stack>
  );
}

/** Focuses a step’s first field when the step becomes active. */
function useFocus(isActive: boolean) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isActive) field.current?.focus();
  }, [isActive]);
  return field;
}
