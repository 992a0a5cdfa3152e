import { PasswordInput, type PasswordInputProps } from '@mantine/core';

/** A field for a password or secret. Tells screen readers about an error, which the library only shows. */
export const PasswordField = ({ error, ...props }: PasswordInputProps) => (
  <PasswordInput error={error} aria-invalid={Boolean(error) || undefined} {...props} />
);
