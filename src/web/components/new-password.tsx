import { Center, Group, Stack } from '@mantine/core';
import { type Ref, useId, useState } from 'react';
import { type PasswordCircumstances, passwordRules } from '#core/passwords.ts';
import { StateIcon } from './badge.tsx';
import { Icon } from './icons.tsx';
import { PasswordField } from './password-field.tsx';
import styles from './new-password.module.css';

/** A new password, typed twice. */
export interface NewPassword {
  readonly password: string;
  readonly confirmation: string;
}

/** What a form reports when its user sends two different passwords. */
export const passwordsDiffer = 'Passwords do not match.';

export const emptyPassword: NewPassword = { password: '', confirmation: '' };

/** Returns true if every rule is met. Both fields are compared when the second loses focus, and on submit. */
export const meetsPasswordRules = ({ password }: NewPassword, circumstances: PasswordCircumstances): boolean =>
  passwordRules(password, circumstances).every(({ isMet }) => isMet);

interface NewPasswordFieldsProps {
  value: NewPassword;
  onChange: (value: NewPassword) => void;
  circumstances: PasswordCircumstances;
  error?: string | null;
  /** The first of the two fields. */
  ref?: Ref<HTMLInputElement>;
}

/**
 * Two fields for a new password, and its rules, which are checked off while the user types. Password managers and
 * pasting work.
 *
 * @param error what the server reported about the password, or {@link passwordsDiffer}
 */
export function NewPasswordFields({ value, onChange, circumstances, error = null, ref }: NewPasswordFieldsProps) {
  const rulesId = useId();
  const { password, confirmation } = value;
  const rules = passwordRules(password, circumstances);
  const isMet = rules.every((rule) => rule.isMet);
  const [isCompared, setCompared] = useState(false);
  const differ = confirmation !== password && (error === passwordsDiffer || (isCompared && confirmation !== ''));
  const own = error === passwordsDiffer ? null : error;
  return (
    <>
      <PasswordField
        {...(ref !== undefined && { ref })}
        className={isMet && own === null ? (styles.met ?? '') : ''}
        label="Password"
        name="password"
        autoComplete="new-password"
        aria-describedby={rulesId}
        value={password}
        onChange={(event) => onChange({ ...value, password: event.currentTarget.value })}
        // During typing, the list below shows what is missing; the field turns red later.
        error={own ?? (password !== '' && !isMet)}
      />
      <Stack component="ul" gap={2} mt={-8} id={rulesId} aria-label="Rules for the password">
        {rules.map((rule) => (
          <Rule key={rule.sentence} sentence={rule.sentence} isMet={password !== '' && rule.isMet} />
        ))}
      </Stack>
      <PasswordField
        className={isMet && confirmation === password ? (styles.met ?? '') : ''}
        label="Confirm Password"
        name="confirm_password"
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the confirmation' }}
        value={confirmation}
        onChange={(event) => onChange({ ...value, confirmation: event.currentTarget.value })}
        onBlur={() => setCompared(true)}
        error={differ && passwordsDiffer}
      />
    </>
  );
}

function Rule({ sentence, isMet }: { sentence: string; isMet: boolean }) {
  return (
    <Group component="li" gap="sm" wrap="nowrap" fz="sm" c={isMet ? 'ok' : 'dimmed'}>
      <Center component="span" w={16} h={16} flex="none" role="img" aria-label={isMet ? 'Met:' : 'Not met yet:'}>
        {isMet ? <Icon name="check" size={14} /> : <StateIcon state="waiting" />}
      </Center>
      {sentence}
    </Group>
  );
}
