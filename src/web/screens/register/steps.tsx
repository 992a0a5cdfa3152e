import { Anchor, Button, Divider, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type ChangeEvent, type ReactNode, useEffect, useRef } from 'react';
import { fieldsOf, Form, FormError } from '../../components/form.tsx';
import { screenHelp } from '../../data/help.ts';
import { meetsPasswordRules, type NewPassword, NewPasswordFields } from '../../components/new-password.tsx';
import { Columns } from '../../components/page.tsx';
import { StepMark } from '../../components/step-mark.tsx';
import styles from './register.module.css';

export interface Access {
  readonly api_user: string;
  readonly api_secret: string;
}

export interface Person {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
}

interface StepProps<Value> {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly onSubmit: () => void;
}

/** Returns the properties of the field of a key. */
const bindTo =
  <Value extends object>(value: Value, onChange: (value: Value) => void, error: Error | null, isReadOnly: boolean) =>
  (key: keyof Value & string) => ({
    name: key,
    readOnly: isReadOnly,
    value: String(value[key]),
    onChange: (event: ChangeEvent<HTMLInputElement>) => onChange({ ...value, [key]: event.currentTarget.value }),
    error: fieldsOf(error)[key],
  });

/** Step 1: the API user. Its fields lock once the company is found. */
export function AccessStep({
  value,
  onChange,
  companyName,
  psaLabel,
  isBusy,
  error,
  onSubmit,
  onUndo,
}: StepProps<Access> & {
  readonly companyName: string | null;
  readonly psaLabel: string;
  readonly onUndo: () => void;
}) {
  const isFound = companyName !== null;
  const bind = bindTo(value, onChange, error, isFound);
  return (
    <Step
      number={1}
      title="Connect API"
      state={isFound ? 'done' : 'open'}
      result={isFound && `Connected to ${companyName}`}
      undo={{ label: 'Use another API user', run: onUndo }}
      onSubmit={onSubmit}
      isBusy={isBusy}
      error={error}
    >
      {!isFound && <ApiUserSteps psaLabel={psaLabel} />}
      <TextInput
        label="API Key (Username)"
        description="Must be associated with the QuickBooks Online integration vendor."
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={254}
        {...bind('api_user')}
      />
      <PasswordInput
        label="API Secret (Password)"
        description="The secret associated with the API user."
        autoComplete="off"
        maxLength={254}
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the secret' }}
        {...bind('api_secret')}
      />
      {!isFound && (
        <Button type="submit" disabled={isBusy}>
          {isBusy ? `Checking ${psaLabel}...` : 'Connect'}
        </Button>
      )}
    </Step>
  );
}

const apiUserSteps = [
  'Open Admin, Resources/Users (HR), and choose New API User.',
  'Enter a name, an email address, and the security level “API User (system)”.',
  'Generate key and secret, and copy both.',
  'Select the integration vendor, and save.',
];

/** How to create the API user, in four steps with pictures. */
const ApiUserSteps = ({ psaLabel }: { psaLabel: string }) => (
  <details className={styles.howTo}>
    <summary>How to create the API user in {psaLabel}</summary>
    <ol>
      {apiUserSteps.map((text, index) => (
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
  value,
  onChange,
  isOpen,
  isFound,
  psaLabel,
  isBusy,
  error,
  onSubmit,
  onUndo,
}: StepProps<Person> & {
  readonly isOpen: boolean;
  readonly isFound: boolean;
  readonly psaLabel: string;
  readonly onUndo: () => void;
}) {
  const bind = bindTo(value, onChange, error, isFound);
  const nameHint = `as it appears in ${psaLabel}`;
  const first = useFocus(isOpen && !isFound);
  return (
    <Step
      number={2}
      title="Verify User"
      state={isFound ? 'done' : isOpen ? 'open' : 'later'}
      result={isFound && `${value.first_name} ${value.last_name}, ${value.email}`}
      undo={{ label: 'Change user', run: onUndo }}
      onSubmit={onSubmit}
      isBusy={isBusy}
      error={error}
    >
      <Columns min={180}>
        <TextInput
          ref={first}
          label="First Name"
          description={nameHint}
          autoComplete="given-name"
          maxLength={100}
          {...bind('first_name')}
        />
        <TextInput
          label="Last Name"
          description={nameHint}
          autoComplete="family-name"
          maxLength={100}
          {...bind('last_name')}
        />
      </Columns>
      <TextInput
        label="Primary Email Address"
        type="email"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={254}
        {...bind('email')}
      />
      {!isFound && (
        <Button type="submit" disabled={isBusy}>
          {isBusy ? `Checking ${psaLabel}...` : 'Verify User'}
        </Button>
      )}
    </Step>
  );
}

/** Step 3: the password for the email address from the PSA. */
export function PasswordStep({
  value,
  onChange,
  email,
  isBusy,
  error,
  onSubmit,
}: StepProps<NewPassword> & { readonly email: string | null }) {
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
        value={email ?? ''}
        error={fieldsOf(error)['email']}
      />
      <NewPasswordFields
        ref={first}
        value={value}
        onChange={onChange}
        circumstances={circumstances}
        error={fieldsOf(error)['password'] ?? null}
      />
      <Button type="submit" disabled={isBusy || !meetsPasswordRules(value, circumstances)}>
        {isBusy ? 'Creating Account...' : 'Create Account'}
      </Button>
    </Step>
  );
}

/** A numbered step: visible when it is next, and locked when it is done. */
function Step({
  number,
  title,
  state,
  result = false,
  undo,
  onSubmit,
  isBusy,
  error,
  children,
}: {
  readonly number: number;
  readonly title: string;
  readonly state: 'later' | 'open' | 'done';
  /** The result of the step, once it is done. */
  readonly result?: string | false;
  readonly undo?: { readonly label: string; readonly run: () => void };
  readonly onSubmit: () => void;
  readonly isBusy: boolean;
  readonly error: Error | null;
  readonly children: ReactNode;
}) {
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
          gap="md"
          align="stretch"
          justify="space-between"
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
