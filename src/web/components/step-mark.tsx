import { ThemeIcon } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from './icons.tsx';

interface StepMarkProps {
  isDone: boolean;
  isOpen?: boolean;
  children: ReactNode;
}

/** The mark of a step: a tick when it is done, else its number, solid while the step is open. */
export const StepMark = ({ isDone, isOpen = false, children }: StepMarkProps) => (
  <ThemeIcon
    component="span"
    // The order of the steps is in the list, and their state in a text.
    aria-hidden
    size={22}
    radius="xl"
    color={isDone ? 'ok' : 'accent'}
    variant={isDone ? 'light' : isOpen ? 'filled' : 'default'}
    fz="xs"
    fw={600}
  >
    {isDone ? <Icon name="check" size={14} /> : children}
  </ThemeIcon>
);
