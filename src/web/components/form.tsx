import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { CallError } from '../data/call.ts';
import { Notice } from './notice.tsx';

interface FormProps {
  isBusy?: boolean;
  onSubmit: () => void;
  className?: string;
  children: ReactNode;
}

/** A form with its fields one below the other. The server validates them, not the browser. */
export const Form = ({ isBusy = false, onSubmit, className = '', children }: FormProps) => (
  <Stack
    gap="md"
    miw={0}
    className={className}
    renderRoot={(props) => (
      <form
        {...props}
        noValidate
        aria-busy={isBusy}
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit();
        }}
      />
    )}
  >
    {children}
  </Stack>
);

/** Returns the errors of single fields, by their names. */
export const fieldsOf = (error: Error | null): Readonly<Record<string, string>> =>
  error instanceof CallError ? error.fields : {};

/** The error of a form, unless its fields show it. */
export const FormError = ({ error }: { error: Error | string | null }) =>
  error !== null &&
  (typeof error === 'string' || Object.keys(fieldsOf(error)).length === 0) && (
    <Notice tone="bad" role="alert">
      {typeof error === 'string' ? error : error.message}
    </Notice>
  );
