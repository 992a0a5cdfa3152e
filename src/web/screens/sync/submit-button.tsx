import { Button, type ButtonProps } from '@mantine/core';
import type { Mode } from '#core/kinds.ts';

interface SubmitButtonProps extends ButtonProps {
  mode: Mode;
  /** Documents that are already synced are posted again. */
  isForced: boolean;
}

/** Submits a sync dialog: outlined for a test, red if it posts documents again. */
export const SubmitButton = ({ mode, isForced, ...rest }: SubmitButtonProps) => (
  <Button
    type="submit"
    {...(mode === 'test' ? { variant: 'outline', color: 'test' } : { color: isForced ? 'red' : 'accent' })}
    {...rest}
  />
);
